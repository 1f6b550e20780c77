"""Searches fully symmetric quadrature rules on the unit triangle and tetrahedron: positive weights, points inside.

A rule is a set of orbits: a point with all permutations of its barycentric coordinates, and one weight. It is exact to
a degree when it integrates the symmetric polynomials of that degree, so there are few equations. Levenberg-Marquardt
steps solve them from random starts; then orbits are taken out or made smaller, one by one, while the rest can still be
solved (after Xiao and Gimbutas 2010; orbits and symmetric moments as Witherden and Vincent 2015). The best rules found
are kept in a JSON file between runs, and are written out as the tables of src/millrace/fem.

    python3 scripts/find_simplex_rules.py search --dim 3 --degrees 1 10 --minutes 5 --store rules.json
    python3 scripts/find_simplex_rules.py write --store rules.json --dim 3 --to src/millrace/fem/basis/tet_rules.cpp
"""

import argparse
import itertools
import json
import math
import pathlib
import time

import numpy as np

# Per dimension: points of an orbit, and barycentric coordinates = constant + matrix @ parameters.
ORBITS = {
    2: [(1, [1 / 3] * 3, [[], [], []]),
        (3, [0, 0, 1], [[1], [1], [-2]]),
        (6, [0, 0, 1], [[1, 0], [0, 1], [-1, -1]])],
    3: [(1, [1 / 4] * 4, [[], [], [], []]),
        (4, [0, 0, 0, 1], [[1], [1], [1], [-3]]),
        (6, [0, 0, 1 / 2, 1 / 2], [[1], [1], [-1], [-1]]),
        (12, [0, 0, 0, 1], [[1, 0], [1, 0], [0, 1], [-2, -1]]),
        (24, [0, 0, 0, 1], [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, -1]])],
}
NUM_PARAMETERS = {dim: [len(matrix[0]) for _, _, matrix in kinds] for dim, kinds in ORBITS.items()}
SIZES = {dim: [size for size, _, _ in kinds] for dim, kinds in ORBITS.items()}


def multiply(a, b):
    """Product of two jets: arrays [1 + dim, ...] of a value and its gradient."""
    out = a * b[:1]
    out[0] = a[0] * b[0]
    out[1:] += a[:1] * b[1:]
    return out


class Polynomials:
    """The orthonormal polynomials of Proriol, Koornwinder and Dubiner up to a degree, with gradients."""

    def __init__(self, dim, degree):
        self.dim, self.degree = dim, degree
        n = range(degree + 1)
        index = [(i, j, k) for i in n for j in n for k in (n if dim == 3 else [0]) if i + j + k <= degree]
        index.sort(key=sum)
        self.index = np.array(index)
        i, j, k = self.index.T
        self.squared_norm = (2 * i + 1) * (2 * (i + j) + 2) * (2 * (i + j + k) + 3 if dim == 3 else 1)

    def family(self, a, u, s):
        """s^n P_n^(a,0)(u / s), n = 0..degree, for an array of a: jets [n, 1 + dim, points, len(a)]."""
        a = np.asarray(a, dtype=u.dtype)
        u, s = u[:, :, None], s[:, :, None]
        one = np.zeros(u.shape[:2] + a.shape, dtype=u.dtype)
        one[0] = 1
        p = [one, (a + 2) / 2 * u + a / 2 * s]
        for k in range(1, self.degree):
            twice = 2 * k + a
            below = 2 * (k + 1) * (k + 1 + a) * twice
            linear = (twice + 1) * a * a / below * s + twice * (twice + 1) * (twice + 2) / below * u
            square = 2 * (k + a) * k * (twice + 2) / below * multiply(s, s)
            p.append(multiply(p[-1], linear) - multiply(p[-2], square))
        return np.array(p)

    def __call__(self, points):
        """Jets [1 + dim, points, polynomials] at points [points, dim]."""
        dim, num = self.dim, len(points)
        x = np.zeros((dim, 1 + dim, num), dtype=points.dtype)
        for d in range(dim):
            x[d, 0], x[d, 1 + d] = points[:, d], 1
        s = [None] * dim + [np.concatenate([np.ones((1, num)), np.zeros((dim, num))]).astype(points.dtype)]
        for d in reversed(range(dim)):
            s[d] = s[d + 1] - x[d]
        i, j, k = self.index.T
        degrees = np.arange(self.degree + 1)
        p = self.family([0], 2 * x[0] - s[1], s[1])[i, :, :, 0].transpose(1, 2, 0)
        p = multiply(p, self.family(2 * degrees + 1, 2 * x[1] - s[2], s[2])[j, :, :, i].transpose(1, 2, 0))
        if dim == 3:
            p = multiply(p, self.family(2 * degrees + 2, 2 * x[2] - s[3], s[3])[k, :, :, i + j].transpose(1, 2, 0))
        return p * np.sqrt(self.squared_norm.astype(points.dtype))


class Problem:
    def __init__(self, dim, degree):
        self.dim, self.degree = dim, degree
        self.polynomials = Polynomials(dim, degree)
        self.volume = 1 / math.factorial(dim)
        random = np.random.default_rng(1)
        sample = random.dirichlet([0.8] * (dim + 1), 3 * len(self.polynomials.index) // math.factorial(dim + 1) + 40)
        mean = sum(self.polynomials(sample[:, list(g)][:, 1:])[0]
                   for g in itertools.permutations(range(dim + 1))) / math.factorial(dim + 1)
        _, singular, rows = np.linalg.svd(mean, full_matrices=False)
        self.num = int(np.sum(singular > 1e-8 * singular[0]))
        self.symmetric = rows[:self.num].T  # [polynomials, symmetric ones], orthonormal
        self.target = self.symmetric[0] * math.sqrt(self.volume)

    def unpack(self, kinds, unknowns):
        """Of unknowns [starts, n]: weights [starts, orbits], barycentric coordinates [starts, orbits, dim + 1], and
        for each orbit where its parameters are."""
        weights, place, at = unknowns[:, :len(kinds)], [], len(kinds)
        corners = np.empty((len(unknowns), len(kinds), self.dim + 1), dtype=unknowns.dtype)
        for o, kind in enumerate(kinds):
            _, constant, matrix = ORBITS[self.dim][kind]
            n = NUM_PARAMETERS[self.dim][kind]
            place.append(slice(at, at + n))
            corners[:, o] = constant + unknowns[:, at:at + n] @ np.array(matrix).T if n else 1
            if not n:
                corners[:, o] /= self.dim + 1
            at += n
        return weights, corners, place

    def residual(self, kinds, unknowns):
        """Errors [starts, equations] and their derivatives [starts, equations, n]."""
        weights, corners, place = self.unpack(kinds, unknowns)
        jets = self.polynomials(corners[:, :, 1:].reshape(-1, self.dim)) @ self.symmetric
        jets = jets.reshape(1 + self.dim, len(unknowns), len(kinds), self.num)
        sizes = np.array([SIZES[self.dim][k] for k in kinds])
        jacobian = np.zeros((len(unknowns), self.num, unknowns.shape[1]))
        jacobian[:, :, :len(kinds)] = (sizes[:, None] * jets[0]).transpose(0, 2, 1)
        for o, kind in enumerate(kinds):
            if NUM_PARAMETERS[self.dim][kind]:
                slopes = sizes[o] * weights[:, o, None, None] * jets[1:, :, o].transpose(1, 2, 0)
                jacobian[:, :, place[o]] = slopes @ np.array(ORBITS[self.dim][kind][2])[1:]
        error = np.einsum("so,som->sm", sizes * weights, jets[0]) - self.target
        return error, jacobian

    def inside(self, kinds, unknowns, margin=1e-4):
        weights, corners, _ = self.unpack(kinds, unknowns)
        least = 1e-3 * self.volume / self.size(kinds)
        return (weights.min(axis=1) > least) & (corners.min(axis=(1, 2)) > margin)

    def size(self, kinds):
        return sum(SIZES[self.dim][k] for k in kinds)

    def starts(self, kinds, num, random):
        """Equal weights and random points inside: [num, n]."""
        unknowns = [np.full((num, len(kinds)), self.volume / self.size(kinds))]
        for kind in kinds:
            n = NUM_PARAMETERS[self.dim][kind]
            _, constant, matrix = ORBITS[self.dim][kind]
            if n:
                trial = random.uniform(0, 1, (400 * num, n))
                trial = trial[(constant + trial @ np.array(matrix).T).min(axis=1) > 0.01]
                unknowns.append(trial[:num])
        return np.concatenate(unknowns, axis=1)

    def solve(self, kinds, unknowns, steps=200):
        """Levenberg-Marquardt on many starts [starts, n] at once; those that became rules with positive weights and
        points inside."""
        scale = np.ones(unknowns.shape[1])
        scale[:len(kinds)] = self.volume / self.size(kinds)  # a weight is small, a coordinate of the size of one
        wide = unknowns.shape[1] >= self.num
        identity = np.eye(self.num if wide else unknowns.shape[1])
        error, jacobian = self.residual(kinds, unknowns)
        norm = np.linalg.norm(error, axis=1)
        damping, before, done = np.full(len(norm), 1e-2), norm.copy(), []
        for step in range(steps):
            good = norm < 3e-15
            keep = ~good & (damping < 1e8)
            if step % 15 == 14:  # those without hope, or as good as they get
                good |= keep & (norm > 0.6 * before) & (norm < 1e-12)
                keep &= ~good & (norm <= 0.6 * before)
                before = norm.copy()
            done += list(unknowns[good])
            unknowns, error, jacobian = unknowns[keep], error[keep], jacobian[keep]
            norm, damping, before = norm[keep], damping[keep], before[keep]
            if not len(norm):
                break
            a = jacobian * scale
            at = a.transpose(0, 2, 1)
            shift = (damping * norm)[:, None, None] * identity
            if wide:
                change = at @ np.linalg.solve(a @ at + shift, error[:, :, None])
            else:
                change = np.linalg.solve(at @ a + shift, at @ error[:, :, None])
            trial = unknowns - scale * change[:, :, 0]
            trial[:, :len(kinds)] = np.maximum(trial[:, :len(kinds)], 0.02 * scale[:len(kinds)])
            now, then = self.unpack(kinds, unknowns)[1], self.unpack(kinds, trial)[1]
            share = np.where(then < 0, 0.8 * now / np.maximum(now - then, 1e-300), 1).min(axis=(1, 2))  # stay inside
            trial[:, len(kinds):] = (unknowns + share[:, None] * (trial - unknowns))[:, len(kinds):]
            new_error, new_jacobian = self.residual(kinds, trial)
            new_norm = np.linalg.norm(new_error, axis=1)
            better = new_norm < norm
            unknowns[better], error[better], jacobian[better] = trial[better], new_error[better], new_jacobian[better]
            norm[better] = new_norm[better]
            damping = np.where(better, np.maximum(damping / 4, 1e-12), damping * 8)
        done = np.array(done).reshape(-1, len(scale))
        return done[self.inside(kinds, done)] if len(done) else done

    def polish(self, kinds, unknowns):
        """To the last bit of a double: residuals of all polynomials in long double."""
        unknowns = unknowns.astype(np.longdouble)
        for _ in range(5):
            weights, corners, _ = (part[0] for part in self.unpack(kinds, unknowns[None]))
            total = np.zeros(len(self.polynomials.index), dtype=np.longdouble)
            for o, corner in enumerate(corners):
                orbit = {tuple(np.asarray(corner)[list(g)]) for g in itertools.permutations(range(self.dim + 1))}
                points = np.array(sorted(orbit), dtype=np.longdouble)[:, 1:]
                mean = self.polynomials(points)[0].mean(axis=0)
                total += weights[o] * SIZES[self.dim][kinds[o]] * mean
            total[0] -= np.sqrt(np.longdouble(1) / math.factorial(self.dim))
            jacobian = self.residual(kinds, unknowns[None].astype(float))[1][0]
            unknowns -= np.linalg.lstsq(jacobian, self.symmetric.T @ total.astype(float), rcond=1e-12)[0]
        return unknowns, float(np.abs(total).max())


def random_kinds(problem, num_unknowns, random):
    """Orbits with at least this many unknowns, the large ones preferred as the degree grows."""
    kinds = [0] if random.random() < 0.5 else []
    count = len(kinds)
    options = range(1, len(ORBITS[problem.dim]))
    share = np.array([NUM_PARAMETERS[problem.dim][k] for k in options], dtype=float)**random.uniform(0, 2.5)
    while count < num_unknowns:
        kind = int(random.choice(options, p=share / share.sum()))
        kinds.append(kind)
        count += 1 + NUM_PARAMETERS[problem.dim][kind]
    return sorted(kinds)


def take(problem, kinds, unknowns, orbit, new_kind):
    """The start without an orbit, or with a smaller one in its place, at the nearest point."""
    weights, corners, place = problem.unpack(kinds, unknowns[None])
    parts = [(k, weights[0, o], unknowns[place[o]]) for o, k in enumerate(kinds) if o != orbit]
    if new_kind is not None:
        _, constant, matrix = ORBITS[problem.dim][new_kind]
        best = None if new_kind else (0, np.zeros(0))
        for g in itertools.permutations(corners[0, orbit]) if new_kind else []:
            fit = np.linalg.lstsq(np.array(matrix), np.array(g) - constant, rcond=None)[0]
            point = constant + np.array(matrix) @ fit
            distance = np.linalg.norm(point - g)
            if point.min() > 0.005 and (best is None or distance < best[0]):
                best = distance, fit
        if best is None:
            return None
        parts.append((new_kind, weights[0, orbit], best[1]))
    if not parts:
        return None
    parts.sort(key=lambda part: part[0])
    new = np.concatenate([np.array([w for _, w, _ in parts])] + [p for _, _, p in parts])
    new[:len(parts)] *= problem.volume / sum(SIZES[problem.dim][k] * w for k, w, _ in parts)
    return new


def eliminate(problem, kinds, unknowns, deadline, random):
    """Fewer points, while the equations can still be solved; the moves that save most are tried first."""
    sizes = SIZES[problem.dim]
    while True:
        # What may stand in the place of an orbit: nothing, or an orbit of fewer points (the middle only once).
        moves = [(sizes[old] - (0 if new is None else sizes[new]), old, new) for old in set(kinds)
                 for new in [None, *range(1 if 0 in kinds else 0, old)]]
        for _, old, new in sorted(moves, key=lambda move: -move[0]):
            if time.monotonic() > deadline:
                return kinds, unknowns
            starts = [take(problem, kinds, unknowns, o, new) for o, k in enumerate(kinds) if k == old]
            starts = [start for start in starts if start is not None]
            if not starts:
                continue
            left = list(kinds)
            left.remove(old)
            left = sorted(left + ([] if new is None else [new]))
            shaken = np.repeat(starts, max(1, 16 // len(starts)), axis=0)
            shaken[:, len(left):] += random.normal(0, 0.02, shaken[:, len(left):].shape)
            shaken = shaken[problem.inside(left, shaken)]
            found = problem.solve(left, np.concatenate([starts, shaken]), 80)
            if len(found):
                kinds, unknowns = left, found[0]
                break
        else:
            return kinds, unknowns


def search(arguments):
    store = arguments.store
    random = np.random.default_rng(arguments.seed)
    for degree in range(arguments.degrees[0], arguments.degrees[1] + 1):
        problem = Problem(arguments.dim, degree)
        key = f"{arguments.dim} {degree}"
        best = json.loads(store.read_text()) if store.is_file() else {}
        deadline = time.monotonic() + 60 * arguments.minutes
        tries = solved = 0
        shares = (0.9, 1.6) if problem.num < 70 else (1.3, 2.2)
        while time.monotonic() < deadline:
            least = best.get(key, {"size": 10**9})["size"]
            if tries == 0 and key in best:  # go on where an earlier search stopped
                kinds, found = best[key]["kinds"], np.array([best[key]["unknowns"]], dtype=float)
            else:
                share = random.uniform(*shares)  # many unknowns: easily solved, long to thin out; few: the other way
                kinds = random_kinds(problem, share * problem.num, random)
                if share < 1.2 and problem.size(kinds) >= least or problem.size(kinds) > 3 * least:
                    continue
                found = problem.solve(kinds, problem.starts(kinds, 32, random))
            tries += 1
            solved += len(found) > 0
            for unknowns in found[:2]:
                left, unknowns = eliminate(problem, kinds, unknowns, deadline, random)
                size = problem.size(left)
                if size >= least:
                    continue
                polished, error = problem.polish(left, unknowns)
                if error < 1e-16 and problem.inside(left, polished[None].astype(float))[0]:
                    least = size
                    best[key] = {"size": size, "kinds": left, "error": error,
                                 "unknowns": [np.format_float_scientific(u, 20, unique=False) for u in polished]}
                    print(f"dim {arguments.dim} degree {degree}: {size} points, orbits {left}", flush=True)
                    store.write_text(json.dumps(best, indent=1) + "\n")
        print(f"dim {arguments.dim} degree {degree}: {problem.num} equations, {tries} kinds tried, {solved} solved, "
              f"best {best.get(key, {}).get('size')}", flush=True)


TABLE = """// Symmetric quadrature rules on the {cell}, [degree]: weight and coordinates, orbit after orbit.
// Written by scripts/find_simplex_rules.py from the rules it found; kinds of orbits: orbit_rules.hpp.
#include "millrace/fem/basis/orbit_rules.hpp"

namespace millrace {{
namespace {{

{numbers}
constexpr OrbitRule rules[] = {{
{rules}
}};

}}  // namespace

std::span<const OrbitRule> {cell}_rules() {{ return rules; }}

}}  // namespace millrace
"""


def write(arguments):
    """The table of the rules with fewer points than any rule of a higher degree."""
    best = {int(key.split()[1]): rule for key, rule in json.loads(arguments.store.read_text()).items()
            if int(key.split()[0]) == arguments.dim}
    numbers, rules, least = [], [], 10**9
    for degree in sorted(best, reverse=True):
        kinds = best[degree]["kinds"]
        if best[degree]["size"] >= least:
            continue
        least = best[degree]["size"]
        unknowns = np.array([float(u) for u in best[degree]["unknowns"]])
        rest, error = Problem(arguments.dim, degree).polish(kinds, unknowns)
        print(f"degree {degree}: {least} points, largest error {error:.1e}")
        flat, at = [], len(kinds)
        for o, kind in enumerate(kinds):
            n = NUM_PARAMETERS[arguments.dim][kind]
            flat += [rest[o], *rest[at:at + n]]
            at += n
        text = ", ".join(repr(float(number)) for number in flat)
        counts = ", ".join(str(kinds.count(k)) for k in range(len(ORBITS[arguments.dim])))
        numbers.insert(0, f"constexpr double degree_{degree}[] = {{{text}}};  // {least} points")
        rules.insert(0, f"    {{{degree}, {{{counts}}}, degree_{degree}}},")
    cell = {2: "triangle", 3: "tet"}[arguments.dim]
    arguments.to.write_text(TABLE.format(cell=cell, numbers="\n".join(numbers) + "\n", rules="\n".join(rules)))
    print(f"{len(rules)} rules for {arguments.to}; now run clang-format")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("search")
    verb.add_argument("--dim", type=int, choices=[2, 3], required=True)
    verb.add_argument("--degrees", type=int, nargs=2, default=[1, 20])
    verb.add_argument("--minutes", type=float, default=1, help="for each degree")
    verb.add_argument("--seed", type=int, default=1)
    verb.add_argument("--store", type=pathlib.Path, required=True)
    verb.set_defaults(run=search)
    verb = verbs.add_parser("write")
    verb.add_argument("--dim", type=int, choices=[2, 3], required=True)
    verb.add_argument("--store", type=pathlib.Path, required=True)
    verb.add_argument("--to", type=pathlib.Path, required=True)
    verb.set_defaults(run=write)
    arguments = parser.parse_args()
    arguments.run(arguments)
