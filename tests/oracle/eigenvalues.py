"""Eigenvalues against LAPACK through SciPy: simple, repeated, clustered, zero, negative and Hermitian ones."""

import sys

import oracle

(np, io, linalg, sparse) = oracle.need("numpy", "scipy.io", "scipy.linalg", "scipy.sparse")

GALLERY = ["laplace2d5:n=12", "laplace3d7:n=6", "laplace2d9:n=9,anisotropy=100", "poisson3d27:n=5",
           "holstein-hubbard:sites=4,quanta=1"]


def special(folder):
    """Small matrices with known trouble."""
    rng = np.random.default_rng(7)
    ring = 2 * np.eye(40) - np.roll(np.eye(40), 1, 0) - np.roll(np.eye(40), -1, 0)
    q, _ = np.linalg.qr(rng.standard_normal((60, 60)))
    cluster = q @ np.diag(np.concatenate([1 + 1e-9 * np.arange(5), np.linspace(2, 9, 55)])) @ q.T
    h = rng.standard_normal((30, 30)) + 1j * rng.standard_normal((30, 30))
    found = {"pairs": np.diag([1.0, 1, 2, 2, 3, 3]), "ring": ring, "zero": np.zeros((7, 7)), "identity": np.eye(9),
             "negative": -ring - np.eye(40), "cluster": (cluster + cluster.T) / 2, "hermitian": (h + h.conj().T) / 2}
    for name, matrix in found.items():
        path = folder / f"{name}.mtx"
        kind = "hermitian" if np.iscomplexobj(matrix) else "symmetric"
        io.mmwrite(path, sparse.coo_matrix(matrix), symmetry=kind, precision=17)
        yield str(path)


def main():
    test = oracle.Oracle(__doc__)
    for name in [*GALLERY, *special(test.folder)]:
        copy = test.folder / "copy.mtx"
        if test.run("convert", name, "-o", copy) is None:
            continue
        a = io.mmread(copy).toarray()
        expected = linalg.eigvalsh(a)
        scale = max(abs(expected).max(), 1e-300)
        for side, wanted in (("--lowest", expected[:5]), ("--highest", expected[::-1][:5])):
            record = test.json("eig", name, side, min(5, len(expected)))
            if record is None:
                continue
            found = record[side.removeprefix("--")]
            values = sorted(found["values"])
            test.expect(found["verified"] or found["check"], f"{name} {side}: neither verified nor said why not")
            error = max(abs(np.sort(wanted) - np.array(values))) / scale
            test.expect(len(values) == len(wanted) and error < 1e-8, f"{name} {side}: {values} instead of {wanted}")
    return test.end()


if __name__ == "__main__":
    sys.exit(main())
