"""Element matrices against scikit-fem: the eigenvalues of K u = e M u do not depend on how nodes are numbered, nor on
which basis spans the space, so two codes can be compared without a table of nodes."""

import subprocess
import sys

import oracle

(np, io, linalg, skfem) = oracle.need("numpy", "scipy.io", "scipy.linalg", "skfem")


def spaces(folder):
    """Name, mesh and element of scikit-fem: its own hexes of the cube, and our tets in its numbering."""
    line = np.linspace(0, 1, 3)
    hexes = skfem.MeshHex.init_tensor(line, line, line)
    tets = skfem.MeshTet(np.loadtxt(folder / "tet_points.txt").T, np.loadtxt(folder / "tet_cells.txt", dtype=int).T)
    yield "hex1", hexes, skfem.ElementHex1()
    yield "hex2", hexes, skfem.ElementHex2()
    yield "tet1", tets, skfem.ElementTetP1()
    yield "tet2", tets, skfem.ElementTetP2()


@skfem.BilinearForm
def mass(u, v, _):
    return u * v


@skfem.BilinearForm
def diffusion(u, v, _):
    return sum(u.grad[i] * v.grad[i] for i in range(3))


def main():
    test = oracle.Oracle(__doc__)
    subprocess.run([test.arguments.program, str(test.folder)], check=True)
    for name, mesh, element in spaces(test.folder):
        m, k = (io.mmread(test.folder / f"{name}_{kind}.mtx").toarray() for kind in ("mass", "diffusion"))
        test.expect(np.array_equal(m, m.T) and np.array_equal(k, k.T), f"{name}: not symmetric to the bit")
        test.expect(abs(m.sum() - 1) < 1e-13, f"{name}: the volume is {m.sum()}")
        test.expect(abs(k.sum(1)).max() < 1e-12, f"{name}: constants have energy")
        basis = skfem.Basis(mesh, element, intorder=8)
        others = [form.assemble(basis).toarray() for form in (mass, diffusion)]
        ours, theirs = linalg.eigvalsh(k, m), linalg.eigvalsh(others[1], others[0])
        test.expect(len(ours) == len(theirs) and np.allclose(ours, theirs, rtol=1e-10, atol=1e-11 * theirs[-1]),
                    f"{name}: eigenvalues {ours} and {theirs}")
    return test.end()


if __name__ == "__main__":
    sys.exit(main())
