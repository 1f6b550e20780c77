"""Searches fully symmetric quadrature rules on the unit triangle and tetrahedron: positive weights, points inside.

A rule is a set of orbits: a point with all permutations of its barycentric coordinates, and one weight. It is exact to
a degree when it integrates the symmetric polynomials of that degree, so there are few equations. Levenberg-Marquardt
steps solve them from random starts; then orbits are taken out or made smaller, one by one, while the rest can still be
solved (after Xiao and Gimbutas 2010; orbits and symmetric moments as Witherden and Vincent 2015). The best rules found
are kept in a JSON file between runs, and are written out as the tables of src/millrace/fem.

    python3 scripts/find_simplex_rules.py search --dim 3 --degrees 1 10 --minutes 5 --store rules.json
    python3 scripts/find_simplex_rules.py write --store rules.json --dim 3 --to src/millrace/fem/tet_rules.cpp
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
        """Weights, barycentric coordinates [orbits, dim + 1], and for each orbit where its parameters are."""
        weights, rest, place, at = unknowns[:len(kinds)], unknowns[len(kinds):], [], 0
        corners = np.zeros((len(kinds), self.dim + 1), dtype=unknowns.dtype)
        for o, kind in enumerate(kinds):
            _, constant, matrix = ORBITS[self.dim][kind]
            n = NUM_PARAMETERS[self.dim][kind]
            corners[o] = constant
            if n:
                corners[o] += np.array(matrix) @ rest[at:at + n]
            else:
                corners[o] = np.ones(self.dim + 1, dtype=unknowns.dtype) / (self.dim + 1)
            place.append(slice(len(kinds) + at, len(kinds) + at + n))
            at += n
        return weights, corners, place

    def residual(self, kinds, unknowns):
        weights, corners, place = self.unpack(kinds, unknowns)
        jets = self.polynomials(corners[:, 1:]) @ self.symmetric  # [1 + dim, orbits, num]
        sizes = np.array([SIZES[self.dim][k] for k in kinds])
        jacobian = np.zeros((self.num, len(unknowns)))
        jacobian[:, :len(kinds)] = (sizes[:, None] * jets[0]).T
        for o, kind in enumerate(kinds):
            if NUM_PARAMETERS[self.dim][kind]:
                matrix = np.array(ORBITS[self.dim][kind][2])[1:]
                jacobian[:, place[o]] = sizes[o] * weights[o] * jets[1:, o].T @ matrix
        return (sizes * weights) @ jets[0] - self.target, jacobian

    def inside(self, kinds, unknowns, margin=1e-4):
        weights, corners, _ = self.unpack(kinds, unknowns)
        return weights.min() > 1e-3 * self.volume / self.size(kinds) and corners.min() > margin

    def size(self, kinds):
        return sum(SIZES[self.dim][k] for k in kinds)

    def start(self, kinds, random):
        unknowns = [np.full(len(kinds), self.volume / self.size(kinds))]
        for kind in kinds:
            n = NUM_PARAMETERS[self.dim][kind]
            _, constant, matrix = ORBITS[self.dim][kind]
            while n:
                trial = random.uniform(0, 1, n)
                if (constant + np.array(matrix) @ trial).min() > 0.01:
                    unknowns.append(trial)
                    break
        return np.concatenate(unknowns)

    def solve(self, kinds, unknowns, steps=150):
        """Levenberg-Marquardt; the unknowns of a rule with positive weights and points inside, or None."""
        scale = np.ones(len(unknowns))
        scale[:len(kinds)] = self.volume / self.size(kinds)  # a weight is small, a coordinate of the size of one
        error, jacobian = self.residual(kinds, unknowns)
        norm = np.linalg.norm(error)
        damping, before = 1e-2, norm
        for step in range(steps):
            if norm < 3e-15:
                break
            if step % 15 == 14:  # hopeless, or as good as it gets
                if norm > 0.6 * before:
                    break
                before = norm
            a = jacobian * scale
            if a.shape[1] >= a.shape[0]:
                change = a.T @ np.linalg.solve(a @ a.T + damping * np.eye(len(a)) * norm, error)
            else:
                change = np.linalg.solve(a.T @ a + damping * norm * np.eye(a.shape[1]), a.T @ error)
            trial = unknowns - scale * change
            trial[:len(kinds)] = np.maximum(trial[:len(kinds)], 0.02 * scale[:len(kinds)])
            corners = self.unpack(kinds, trial)[1]
            if corners.min() < 0:  # back along the way
                now = self.unpack(kinds, unknowns)[1]
                leaving = corners < 0
                share = 0.8 * (now[leaving] / (now[leaving] - corners[leaving])).min()
                trial[len(kinds):] = unknowns[len(kinds):] + share * (trial - unknowns)[len(kinds):]
            new_error, new_jacobian = self.residual(kinds, trial)
            new_norm = np.linalg.norm(new_error)
            if new_norm < norm:
                unknowns, error, jacobian, norm = trial, new_error, new_jacobian, new_norm
                damping = max(damping / 4, 1e-12)
            else:
                damping *= 8
                if damping > 1e8:
                    break
        return unknowns if norm < 1e-12 and self.inside(kinds, unknowns) else None

    def polish(self, kinds, unknowns):
        """To the last bit of a double: residuals of all polynomials in long double."""
        unknowns = unknowns.astype(np.longdouble)
        for _ in range(5):
            weights, corners, _ = self.unpack(kinds, unknowns)
            total = np.zeros(len(self.polynomials.index), dtype=np.longdouble)
            for o, corner in enumerate(corners):
                orbit = {tuple(np.asarray(corner)[list(g)]) for g in itertools.permutations(range(self.dim + 1))}
                points = np.array(sorted(orbit), dtype=np.longdouble)[:, 1:]
                mean = self.polynomials(points)[0].mean(axis=0)
                total += weights[o] * SIZES[self.dim][kinds[o]] * mean
            total[0] -= np.sqrt(np.longdouble(1) / math.factorial(self.dim))
            _, jacobian = self.residual(kinds, unknowns.astype(float))
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
    weights, corners, place = problem.unpack(kinds, unknowns)
    parts = [(k, weights[o], unknowns[place[o]]) for o, k in enumerate(kinds) if o != orbit]
    if new_kind is not None:
        _, constant, matrix = ORBITS[problem.dim][new_kind]
        best = None if new_kind else (0, np.zeros(0))
        for g in itertools.permutations(corners[orbit]) if new_kind else []:
            fit = np.linalg.lstsq(np.array(matrix), np.array(g) - constant, rcond=None)[0]
            point = constant + np.array(matrix) @ fit
            distance = np.linalg.norm(point - g)
            if point.min() > 0.005 and (best is None or distance < best[0]):
                best = distance, fit
        if best is None:
            return None
        parts.append((new_kind, weights[orbit], best[1]))
    if not parts:
        return None
    parts.sort(key=lambda part: part[0])
    new = np.concatenate([np.array([w for _, w, _ in parts])] + [p for _, _, p in parts])
    new[:len(parts)] *= problem.volume / sum(SIZES[problem.dim][k] * w for k, w, _ in parts)
    return [k for k, _, _ in parts], new


def smaller(kind, kinds):
    """What may stand in the place of an orbit: nothing, or an orbit of fewer points (the middle only once)."""
    return [None, *range(1 if 0 in kinds else 0, kind)]


def eliminate(problem, kinds, unknowns, deadline):
    """Fewer points, while the equations can still be solved; the moves that save most are tried first."""
    while True:
        weights = unknowns[:len(kinds)]
        moves = [(SIZES[problem.dim][k] - (0 if n is None else SIZES[problem.dim][n]), -weights[o], o, n)
                 for o, k in enumerate(kinds) for n in smaller(k, kinds)]
        for _, _, orbit, new_kind in sorted(moves, key=lambda m: (-m[0], -m[1])):
            if time.monotonic() > deadline:
                return kinds, unknowns
            start = take(problem, kinds, unknowns, orbit, new_kind)
            found = None if start is None else problem.solve(start[0], start[1], 80)
            if found is not None:
                kinds, unknowns = start[0], found
                break
        else:
            return kinds, unknowns


def search(arguments):
    store = arguments.store
    best = json.loads(store.read_text()) if store.is_file() else {}
    random = np.random.default_rng(arguments.seed)
    for degree in range(arguments.degrees[0], arguments.degrees[1] + 1):
        problem = Problem(arguments.dim, degree)
        key = f"{arguments.dim} {degree}"
        deadline = time.monotonic() + 60 * arguments.minutes
        tries = solved = 0
        while time.monotonic() < deadline:
            tries += 1
            kinds = random_kinds(problem, random.uniform(0.8, 1.25) * problem.num + random.integers(0, 3), random)
            least = best.get(key, {"size": 10**9})["size"]
            if problem.num > 12 and problem.size(kinds) > 2 * least:
                continue
            unknowns = problem.solve(kinds, problem.start(kinds, random))
            if unknowns is None:
                continue
            solved += 1
            kinds, unknowns = eliminate(problem, kinds, unknowns, deadline)
            size = problem.size(kinds)
            if size < least:
                polished, error = problem.polish(kinds, unknowns)
                if error < 1e-16 and problem.inside(kinds, polished.astype(float)):
                    best[key] = {"size": size, "kinds": kinds, "error": error,
                                 "unknowns": [np.format_float_scientific(u, 20, unique=False) for u in polished]}
                    print(f"dim {arguments.dim} degree {degree}: {size} points, orbits {kinds}", flush=True)
                    store.write_text(json.dumps(best, indent=1) + "\n")
        print(f"dim {arguments.dim} degree {degree}: {problem.num} equations, {tries} starts, {solved} solved, "
              f"best {best.get(key, {}).get('size')}", flush=True)


TABLE = """// Symmetric quadrature rules on the {cell}, [degree]: weight and coordinates, orbit after orbit.
// Written by scripts/find_simplex_rules.py from the rules it found; kinds of orbits: orbit_rules.hpp.
#include "millrace/fem/orbit_rules.hpp"

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
