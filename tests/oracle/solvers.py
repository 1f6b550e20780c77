"""Solutions against SciPy's SuperLU, and the iterations of CG and GMRES against PETSc's."""

import sys

import oracle

(np, io, sparse, splinalg) = oracle.need("numpy", "scipy.io", "scipy.sparse", "scipy.sparse.linalg")
petsc4py, = oracle.need("petsc4py")
petsc4py.init(["solvers.py"])
from petsc4py import PETSc  # noqa: E402  (after init)

CASES = [("laplace2d5:n=40", "cg", "jacobi"), ("laplace3d7:n=12,contrast=1000", "cg", "jacobi"),
         ("laplace2d9:n=30", "gmres", "jacobi"), ("random:n=2000", "gmres", "jacobi"),
         ("laplace2d5:n=40", "minres", "none")]
TOLERANCE = 1e-8


def petsc_iterations(a, b, method, precond):
    matrix = PETSc.Mat().createAIJ(a.shape, csr=(a.indptr, a.indices, a.data))
    ksp = PETSc.KSP().create()
    ksp.setOperators(matrix)
    ksp.setType(method)
    ksp.getPC().setType(precond)
    if method == "gmres":
        ksp.setGMRESRestart(30)
        ksp.setPCSide(PETSc.PC.Side.RIGHT)
    else:
        ksp.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED if method == "cg" else PETSc.KSP.NormType.PRECONDITIONED)
    ksp.setTolerances(rtol=TOLERANCE, atol=0, max_it=2000)
    x, right = matrix.createVecRight(), matrix.createVecLeft()
    right.setArray(b)
    ksp.solve(right, x)
    return ksp.getIterationNumber()


def main():
    test = oracle.Oracle(__doc__)
    rng = np.random.default_rng(3)
    for name, method, precond in CASES:
        matrix, rhs, solution = (test.folder / f for f in ("a.mtx", "b.mtx", "x.mtx"))
        if test.run("convert", name, "-o", matrix) is None:
            continue
        a = sparse.csr_matrix(io.mmread(matrix))
        b = rng.standard_normal(a.shape[0])
        io.mmwrite(rhs, b[:, None], precision=17)
        record = test.json("solve", matrix, "-b", rhs, "-x", solution, "--method", method, "--precond", precond,
                           "--tol", TOLERANCE, "--restart", 30, "--max-iterations", 2000)
        if record is None:
            continue
        x, exact = io.mmread(solution).ravel(), splinalg.spsolve(a.tocsc(), b)
        residual = np.linalg.norm(b - a @ x) / np.linalg.norm(b)
        test.expect(residual < 1.1 * TOLERANCE, f"{name} {method}: residual {residual}")
        test.expect(np.linalg.norm(x - exact) < 1e-4 * np.linalg.norm(exact), f"{name} {method}: another solution")
        ours, theirs = record["iterations"], petsc_iterations(a, b, method, precond)
        test.expect(abs(ours - theirs) <= 2 + theirs // 20, f"{name} {method}: {ours} iterations, PETSc {theirs}")
    return test.end()


if __name__ == "__main__":
    sys.exit(main())
