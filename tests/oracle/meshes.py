"""Meshes of gmsh files against meshio: points, cells, volume of the box around them."""

import lzma
import pathlib
import sys

import oracle

(np, meshio) = oracle.need("numpy", "meshio")

SQUARE = pathlib.Path(__file__).parents[1] / "data" / "fuzz" / "gmsh"
KINDS = {"triangle": "triangle", "quad": "quad", "tet": "tetra", "hex": "hexahedron"}
MAX_BYTES = 3_000_000  # of a file that is compared; larger ones take meshio minutes


def main():
    test = oracle.Oracle(__doc__)
    files = [SQUARE / "square_2.msh", SQUARE / "square_4.msh"]
    if test.arguments.data and (test.arguments.data / "meshes").is_dir():
        files += sorted(path for path in (test.arguments.data / "meshes").iterdir() if ".msh" in path.name)
    for path in files:
        plain = path
        if path.suffix == ".xz":
            plain = test.folder / path.stem
            plain.write_bytes(lzma.decompress(path.read_bytes()))
        if plain.stat().st_size > MAX_BYTES:
            continue
        try:
            other = meshio.read(plain, file_format="gmsh")
        except (Exception, SystemExit) as error:  # meshio knows fewer files than we do, and ends programs
            print(f"left out: {path.name}: meshio: {error}")
            continue
        ours = test.json("inspect", path, may_refuse=True)  # prisms, surfaces in space
        if ours is None:
            continue
        used = set()
        for block in ours["cells"]:
            kind = KINDS[block["cell"]]
            theirs = [cells.data for cells in other.cells if cells.type.rstrip("0123456789") == kind]
            for data in theirs:
                used |= set(data.ravel().tolist())
            test.expect(sum(map(len, theirs)) == sum(b["count"] for b in ours["cells"] if b["cell"] == block["cell"]),
                        f"{path.name}: number of cells of {block['cell']}")
        if not used:
            continue
        points = other.points[sorted(used)]
        extent = np.array(ours["extent"])
        box = np.stack([points.min(0), points.max(0)], 1)[:len(extent)]
        test.expect(np.allclose(box, extent, rtol=1e-12, atol=1e-12), f"{path.name}: extent {extent} and {box}")
    return test.end()


if __name__ == "__main__":
    sys.exit(main())
