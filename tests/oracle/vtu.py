"""Files of VTK read back by VTK's own reader: types, points, polynomials inside of cells, volumes of curved cells."""

import itertools
import subprocess
import sys
import xml.etree.ElementTree

import oracle

(np, vtk, numpy_support) = oracle.need("numpy", "vtk", "vtkmodules.util.numpy_support")

DIM = {"segment": 1, "triangle": 2, "quad": 2, "tet": 3, "hex": 3}
LINEAR = {"segment": 3, "triangle": 5, "quad": 9, "tet": 10, "hex": 12}
LAGRANGE = {"segment": 68, "triangle": 69, "quad": 70, "tet": 71, "hex": 72}
NODES = {"segment": lambda k: k + 1, "triangle": lambda k: (k + 1) * (k + 2) // 2, "quad": lambda k: (k + 1)**2,
         "tet": lambda k: (k + 1) * (k + 2) * (k + 3) // 6, "hex": lambda k: (k + 1)**3}
CELLS = {"triangle": 8, "quad": 4, "tet": 48, "hex": 8}  # of the box that vtu.cpp makes
PLACES = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.25, 0.125, 0.5), (0.6, 0.3, 0.05), (1 / 3, 1 / 3, 1 / 3)]


def bend(t, g):
    return 0 if g == 1 else 0.3 * t**g


def move_back(x, g):
    y = x[1] - bend(x[2], g)
    return np.array([x[0] - bend(y, g) + bend(x[2], g), y, x[2]])


def polynomial(x, p):
    return (0.2 + 0.7 * x[0] - 0.5 * x[1] + 0.3 * x[2])**p + x[1]


def place_and_weights(cell, at):
    x, weights, piece = [0.0] * 3, [0.0] * cell.GetNumberOfPoints(), vtk.mutable(0)
    cell.EvaluateLocation(piece, at, x, weights)
    return np.array(x), np.array(weights)


def inner_rule(kind, n):
    """Gauss points and weights of a cell; on simplices those of the cube, collapsed."""
    line, weights = np.polynomial.legendre.leggauss(n)
    line, weights = (line + 1) / 2, weights / 2
    for index in itertools.product(range(n), repeat=DIM[kind]):
        x = [line[i] for i in index] + [0.0] * (3 - len(index))
        w = np.prod([weights[i] for i in index])
        if kind in ("triangle", "tet"):
            w *= (1 - x[1]) * (1 - x[2])**2
            x = [x[0] * (1 - x[1]) * (1 - x[2]), x[1] * (1 - x[2]), x[2]]
        yield x, w


def volume(cell, kind, n):
    """The integral of the determinant of the cell's map, by VTK's derivatives of its shape functions."""
    d, count = DIM[kind], cell.GetNumberOfPoints()
    points = np.array([cell.GetPoints().GetPoint(i)[:d] for i in range(count)])
    total = 0
    for at, weight in inner_rule(kind, n):
        slopes = [0.0] * (d * count)
        cell.InterpolateDerivs(at, slopes)
        interleaved = cell.GetCellType() in (LAGRANGE["quad"], LAGRANGE["hex"])  # [count, d]; of all others [d, count]
        slopes = np.array(slopes).reshape((count, d) if interleaved else (d, count))
        total += weight * np.linalg.det((slopes.T if interleaved else slopes) @ points)
    return total


class Files:
    def __init__(self, test):
        self.test = test

    def read(self, name):
        reader, errors = vtk.vtkXMLUnstructuredGridReader(), []
        for event in ("ErrorEvent", "WarningEvent"):
            reader.AddObserver(event, lambda *_: errors.append(name))
        reader.SetFileName(str(self.test.folder / name))
        reader.Update()
        self.test.expect(not errors and reader.GetErrorCode() == 0, f"{name}: VTK's reader complains")
        return reader.GetOutput()

    def array(self, data, name):
        found = data.GetArray(name)
        self.test.expect(found is not None, f"no array {name}")
        return numpy_support.vtk_to_numpy(found) if found else np.zeros(1)

    def space(self, kind, g, p):
        """A box of cells, bent by degree g and turned, with a field of degree p."""
        name, expect = f"{kind}_g{g}_p{p}.vtu", self.test.expect
        grid, order, d = self.read(name), max(g, p), DIM[kind]
        expect(grid.GetNumberOfPoints() == (2 * order + 1)**d, f"{name}: {grid.GetNumberOfPoints()} points")
        expect(grid.GetNumberOfCells() == CELLS[kind], f"{name}: {grid.GetNumberOfCells()} cells")
        u, v = self.array(grid.GetPointData(), "u"), self.array(grid.GetPointData(), "v")
        groups = self.array(grid.GetCellData(), "group")
        expect(v.shape == (grid.GetNumberOfPoints(), 3), f"{name}: the vector has the shape {v.shape}")
        expect(list(groups) == list(range(100, 100 + CELLS[kind])), f"{name}: groups {groups}")
        total = 0
        for c in range(grid.GetNumberOfCells()):
            cell = grid.GetCell(c)
            expect(cell.GetCellType() == (LINEAR if order == 1 else LAGRANGE)[kind], f"{name}: {cell.GetClassName()}")
            expect(cell.GetNumberOfPoints() == NODES[kind](order), f"{name}: {cell.GetNumberOfPoints()} nodes")
            ids = [cell.GetPointId(i) for i in range(cell.GetNumberOfPoints())]
            for at in PLACES:
                at = at[:d] + (0, ) * (3 - d)
                x, weights = place_and_weights(cell, at)
                straight = move_back(x, g)
                off = abs(weights @ u[ids] - polynomial(straight, p))
                expect(off < 1e-12, f"{name}: u in cell {c} at {at} is off by {off}")
                off = abs(weights @ v[ids] - straight * [1, 2, 3]).max()
                expect(off < 1e-12, f"{name}: v in cell {c} at {at} is off by {off}")
            part = volume(cell, kind, d * order // 2 + 2)
            expect(abs(part * CELLS[kind] - 1) < 1e-10, f"{name}: cell {c} has the volume {part}")
            total += part
        expect(abs(total - 1) < 1e-11, f"{name}: the volume is {total}")

    def pieces(self, kind, g, p):
        """The same file as linear cells."""
        name, expect = f"{kind}_g{g}_p{p}_linear.vtu", self.test.expect
        grid, order, d = self.read(name), max(g, p), DIM[kind]
        expect(grid.GetNumberOfPoints() == (2 * order + 1)**d, f"{name}: {grid.GetNumberOfPoints()} points")
        expect(grid.GetNumberOfCells() == CELLS[kind] * order**d, f"{name}: {grid.GetNumberOfCells()} cells")
        expect({grid.GetCellType(c) for c in range(grid.GetNumberOfCells())} == {LINEAR[kind]}, f"{name}: other types")
        sizes = vtk.vtkCellSizeFilter()
        sizes.SetInputData(grid)
        sizes.Update()
        found = self.array(sizes.GetOutput().GetCellData(), "Area" if d == 2 else "Volume")
        expect(found.min() > 0, f"{name}: a piece has the volume {found.min()}")
        allowed = 1e-12 if g == 1 else 0.2 / order**2  # flat pieces of a bent boundary
        expect(abs(found.sum() - 1) < allowed, f"{name}: the volume is {found.sum()}")

    def single(self, kind, order):
        """One cell that is its own reference cell."""
        name, expect = f"one_{kind}_{order}.vtu", self.test.expect
        grid = self.read(name)
        cell, u = grid.GetCell(0), self.array(grid.GetPointData(), "u")
        expect(cell.GetCellType() == (LINEAR if order == 1 else LAGRANGE)[kind], f"{name}: {cell.GetClassName()}")
        ids = [cell.GetPointId(i) for i in range(cell.GetNumberOfPoints())]
        for at in PLACES:
            at = at[:DIM[kind]] + (0, ) * (3 - DIM[kind])
            x, weights = place_and_weights(cell, at)
            expect(abs(x - at).max() < 1e-11, f"{name}: {at} is at {x}")
            off = abs(weights @ u[ids] - polynomial(np.array(at), order))
            expect(off < 1e-11, f"{name}: u at {at} is off by {off}")

    def others(self):
        expect = self.test.expect
        grid = self.read("mixed.vtu")
        expect([grid.GetCellType(c) for c in range(grid.GetNumberOfCells())] == [5, 70], "mixed.vtu: types")
        n = grid.GetNumberOfPoints()
        expect(n == 19, f"mixed.vtu: {n} points")
        data = grid.GetPointData()
        single = self.array(data, "<\"a\" & 'b'> é")
        expect(single.dtype == np.float32 and np.array_equal(single, 0.5 * np.arange(n)), f"mixed.vtu: {single}")
        whole = self.array(data, "whole")
        expect(whole.dtype == np.int32 and np.array_equal(whole.ravel(), np.arange(3 * n) - 5), f"mixed.vtu: {whole}")
        expect(np.isnan(self.array(data, "holes")).all(), "mixed.vtu: NaN became something else")
        expect(list(self.array(grid.GetCellData(), "by cell")) == [2.5, -1], "mixed.vtu: cell field")
        grid = self.read("nothing.vtu")
        expect(grid.GetNumberOfPoints() == 0 and grid.GetNumberOfCells() == 0, "nothing.vtu has something")
        steps = xml.etree.ElementTree.parse(self.test.folder / "series.pvd").getroot().findall("Collection/DataSet")
        expect([float(step.get("timestep")) for step in steps] == [0, 0.1], "series.pvd: times")
        for step in steps:
            expect(self.read(step.get("file")).GetNumberOfCells() > 0, f"series.pvd: {step.get('file')}")


def main():
    test = oracle.Oracle(__doc__)
    subprocess.run([test.arguments.program, str(test.folder)], check=True)
    files = Files(test)
    for kind in CELLS:
        for g, p in itertools.product(range(1, 4), range(1, 5)):
            files.space(kind, g, p)
            files.pieces(kind, g, p)
    for kind, order in itertools.product(DIM, range(1, 11)):
        files.single(kind, order)
    files.others()
    return test.end()


if __name__ == "__main__":
    sys.exit(main())
