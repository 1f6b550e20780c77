"""Flows that jump between curved cells, read by VTK's own reader: as many cells as we have, at random places inside of
them the same points, and the same values of all fields."""

import itertools
import json
import pathlib
import subprocess
import sys

import oracle

(np, vtk, numpy_support) = oracle.need("numpy", "vtk", "vtkmodules.util.numpy_support")

BOUND = 1e-10
CASES = {"euler_1": 3, "euler_3": 3, "euler_5": 5, "navier_stokes_2": 4, "navier_stokes_3": 4, "in_space_1": 2,
         "in_space_3": 3}  # and the order of the cells: of the solution or of the shape
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "flow"


def read(test, file):
    reader, errors = vtk.vtkXMLUnstructuredGridReader(), []
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda *_: errors.append(file.name))
    reader.SetFileName(str(file))
    reader.Update()
    test.expect(not errors and reader.GetErrorCode() == 0, f"{file.name}: VTK's reader complains")
    return reader.GetOutput()


def check_values(test, name, order):
    """Every line of the text against VTK's interpolation."""
    grid = read(test, test.folder / f"{name}.vtu")
    num_cells, *lines = (test.folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    test.expect(grid.GetNumberOfCells() == int(num_cells), f"{name}: {grid.GetNumberOfCells()} cells, not {num_cells}")
    data, kinds, worst = grid.GetPointData(), set(), 0.0
    arrays = {data.GetArrayName(i): numpy_support.vtk_to_numpy(data.GetArray(i))
              for i in range(data.GetNumberOfArrays())}
    for number, group in itertools.groupby((line.split() for line in lines), key=lambda words: int(words[0])):
        cell, piece = grid.GetCell(number), vtk.mutable(0)
        kinds.add(cell.GetCellType())
        nodes = cell.GetNumberOfPoints()
        ids = [cell.GetPointId(i) for i in range(nodes)]
        own = set(range(number * nodes, (number + 1) * nodes))
        test.expect(set(ids) == own, f"{name}: cell {number} has points of others")
        for words in group:
            at, wanted, field, comp, value = words[1:4], words[4:7], words[7], int(words[8]), float(words[9])
            x, weights = [0.0] * 3, [0.0] * nodes
            cell.EvaluateLocation(piece, [float(xi) for xi in at], x, weights)
            off = max(abs(a - float(b)) for a, b in zip(x, wanted))
            test.expect(off < BOUND, f"{name}: the place {at} of cell {number} is off by {off}")
            values = arrays[field][ids]
            off = abs(np.array(weights) @ (values[:, comp] if values.ndim == 2 else values) - value)
            test.expect(off < BOUND, f"{name}: {field} in cell {number} at {at} is off by {off}")
            worst = max(worst, off)
    kind, nodes = (71, (order + 1) * (order + 2) * (order + 3) // 6) if "space" in name else \
        (69, (order + 1) * (order + 2) // 2)
    test.expect(kinds == {kind}, f"{name}: cells of types {kinds}")
    found = grid.GetCell(0).GetNumberOfPoints()
    test.expect(found == nodes, f"{name}: cells of {found} points; of order {order} they have {nodes}")
    print(f"{name}: {num_cells} cells of order {order}, {len(lines)} values, the worst off by {worst:.1e}")


def check_command(test):
    """A file of the command has the cells that its record has."""
    vtu, record = test.folder / "vortex.vtu", test.folder / "vortex.json"
    if test.run("flow", EXAMPLES / "vortex.toml", "--vtu", vtu, "--json", record, may_refuse=True) is None:
        return
    cells = json.loads(record.read_text(encoding="utf-8"))["cells"]
    grid = read(test, vtu)
    test.expect(grid.GetNumberOfCells() == cells, f"vortex.vtu: {grid.GetNumberOfCells()} cells, not {cells}")


def main():
    test = oracle.Oracle(__doc__)
    subprocess.run([test.arguments.program, str(test.folder)], check=True)
    for name, order in CASES.items():
        check_values(test, name, order)
    check_command(test)
    return test.end()


if __name__ == "__main__":
    sys.exit(main())
