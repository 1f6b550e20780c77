"""Which room of src/millrace may know which, and what a source file may look like."""

import argparse
import pathlib

import repo

# A room may include itself, base, the rooms named here, and the rooms that those may include: the headers at their top.
MAY_KNOW = {
    "base": [],
    "sparse": ["base"],
    "mesh": ["base"],
    "solve": ["base"],
    "io": ["mesh", "sparse"],
    "precond": ["sparse", "solve"],
    "tune": ["sparse", "solve", "precond"],
    "dist": ["sparse", "tune", "mesh", "io"],
    "fem": ["mesh", "sparse", "dist", "precond", "solve"],
    "hdg": ["fem", "solve", "precond", "dist", "io"],
    "bench": ["sparse", "tune", "io", "fem"],
}
# The rooms inside a room: each may include itself, the inner rooms named here with those that they may include, and
# the top of its own room but for what NOT_YET lists. The top of a room may include all its inner rooms.
INNER = {
    "base/threads": [],
    "sparse/format": [],
    "sparse/pattern": [],
    "sparse/gallery": [],
    "sparse/convert": ["sparse/format"],
    "sparse/product": ["sparse/convert"],
    "sparse/product/csr": ["sparse/product"],
    "sparse/product/blocks": ["sparse/product"],
    "mesh/places": [],
    "fem/basis": [],
    "fem/physics": ["fem/basis"],
    "fem/element": ["fem/physics"],
    "fem/integral": ["fem/basis"],
    "fem/gemm": ["fem/element"],
    "fem/multigrid": ["fem/element"],
    "fem/actions": ["fem/gemm"],
    "fem/hex": ["fem/element"],
    "fem/tet": ["fem/gemm"],
    "mesh/patches": [],
    "io/picture": [],
    "hdg/physics": [],
    "hdg/case": ["hdg/physics"],
    "precond/direct": [],
    "precond/multigrid": [],
    "solve/engine": [],
    "solve/basis": ["solve/engine"],
    "solve/methods": ["solve/basis"],
}
# Headers at the top of a room that stand above some of its inner rooms.
NOT_YET = {
    "sparse/matrix.hpp": ["sparse/format", "sparse/pattern", "sparse/gallery", "sparse/convert", "sparse/product"],
    "sparse/formats.hpp": ["sparse/format", "sparse/pattern", "sparse/gallery"],
}
# Single files that join inner rooms: a dispatcher over all schedules, a trait list over all kernels.
JOINS = {
    "sparse/product/spmv_cuda.cuh": ["sparse/product/csr", "sparse/product/blocks"],
}
# A subfolder is private to users; of our own rooms these may look inside others.
LOOKS_INSIDE = {
    "precond": ["sparse/format", "sparse/convert", "sparse/product", "sparse/product/blocks", "solve/engine"],
    "bench": ["sparse/gallery"],
    "fem": ["mesh/places", "precond/multigrid", "solve/basis", "solve/engine"],
    "hdg": ["sparse/format", "fem/basis"],
}
FACE = "face"  # millrace.hpp and fem.hpp, which may include the top of every room that is installed
MAX_LINES = 400
MAX_MACROS = 5
GENERATED = {"source_id.hpp"}  # by the build
LIBRARY_SWITCHES = {"OMPI_SKIP_MPICXX"}  # macros that another library's header asks for
PRIVATE_HEADERS = ("fmt/", "nlohmann/", "CLI/", "Eigen/", "zlib.h", "lzma.h", "metis.h", "amd.h", "cholmod.h",
                   "umfpack.h", "klu.h", "png.h", "toml++/", "omp.h")
CUDA_HEADERS = ("cuda", "cusparse", "cublas", "cooperative_groups", "cub/", "thrust/", "nvrtc")


def known_rooms(room):
    rooms, waiting = set(), [room, "base"]
    if room == FACE:
        return set(MAY_KNOW) - {"bench"}
    while waiting:
        name = waiting.pop()
        if name not in rooms:
            rooms.add(name)
            waiting += MAY_KNOW.get(name, [])
    return rooms


def inner_room(name):
    """The folder of a file of src/millrace, as a text: sparse, sparse/format."""
    return pathlib.PurePath(name).parent.as_posix()


def known_inner(place):
    places, waiting = set(), [place]
    while waiting:
        name = waiting.pop()
        if name not in places:
            places.add(name)
            waiting += INNER.get(name, [])
    return places


def wall_between(name, header):
    """Why one file of the library may not include another, or None. Both as in sparse/format/bsr.hpp."""
    here, there = inner_room(name), inner_room(header)
    room, other = here.split("/")[0], there.split("/")[0]
    if other not in known_rooms(room):
        return f"{room} must not know {other}"
    if here == there:
        return None
    if room != other:
        if there != other and there not in LOOKS_INSIDE.get(room, []):
            return f"{there} is private; {room} may include the top of {other}" + \
                "".join(f", {open_}" for open_ in LOOKS_INSIDE.get(room, []) if open_.startswith(other + "/"))
        return None
    if there == other:  # from an inner room to the top
        above = any(here == place or here.startswith(place + "/") for place in NOT_YET.get(header, []))
        return f"{header} stands above {here}" if above else None
    if here == room or there in known_inner(here) or there in JOINS.get(name, []):
        return None
    return f"{here} must not know {there}"


def check_includes(path, name, text, library, problems):
    """Adds what is wrong with the includes of one file of the library; returns the files it includes."""
    included = []
    for quote, header in repo.includes(text):
        if header.startswith("millrace/"):
            target = library.parent / header
            included.append(target)
            if quote != '"':
                problems.append(f'{path}: write #include "{header}" with quotes')
            if not target.is_file():
                problems.append(f"{path}: includes {header}, which does not exist")
            elif len(pathlib.PurePath(header).parts) > 2:
                wall = wall_between(name.as_posix(), header.removeprefix("millrace/"))
                if wall:
                    problems.append(f"{path}: {wall} (it includes {header})")
        elif quote == '"' and header not in GENERATED:
            problems.append(f'{path}: write the include "{header}" as "millrace/..." or in angle brackets')
        elif header.startswith(CUDA_HEADERS) and path.suffix not in (".cu", ".cuh"):
            problems.append(f"{path}: {header} belongs into .cu and .cuh files only")
        elif header.startswith(PRIVATE_HEADERS) and path.suffix in (".hpp", ".cuh") and name.parts[0] != "bench":
            problems.append(f"{path}: an installed header must not include {header}")
    return included


def check_text(path, text, problems):
    first = text.split("\n", 1)[0]
    if not first.startswith("//"):
        problems.append(f"{path}: begin with one to three comment lines that say what the file is")
    if path.suffix in (".hpp", ".cuh") and "\n#pragma once\n" not in text:
        problems.append(f"{path}: #pragma once is missing")
    if "#pragma omp" in text and "#pragma omp simd" not in text:
        problems.append(f"{path}: threads come from base/parallel.hpp; OpenMP belongs to the peers")


def macros_of(text):
    lines = (line.replace("# define", "#define").split() for line in text.split("\n"))
    return {line[1].split("(")[0] for line in lines if len(line) > 1 and line[0] == "#define"}


def find_cycle(graph):
    """A list of files that include each other in a ring, or None."""
    done, stack = set(), []

    def visit(node):
        if node in stack:
            return stack[stack.index(node):] + [node]
        if node in done:
            return None
        stack.append(node)
        for target in graph.get(node, []):
            cycle = visit(target)
            if cycle:
                return cycle
        stack.pop()
        done.add(node)
        return None

    for start in sorted(graph):
        cycle = visit(start)
        if cycle:
            return cycle
    return None


def check(root):
    library = root / "src" / "millrace"
    problems, graph, macros, mpi_files, num_checked = [], {}, set(), [], 0
    for path in repo.files(root):
        if path.suffix not in repo.CODE:
            continue
        num_checked += 1
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > MAX_LINES:
            problems.append(f"{path}: {text.count(chr(10))} lines, at most {MAX_LINES} are right")
        if path.suffix not in repo.SOURCES or library not in path.parents:
            continue
        name = path.relative_to(library)
        if len(name.parts) < 2 and path.suffix == ".hpp":  # the public face: it includes rooms, rooms do not include it
            graph[path] = check_includes(path, pathlib.PurePath(FACE) / name, text, library, problems)
            check_text(path, text, problems)
            continue
        if len(name.parts) < 2 or name.parts[0] not in MAY_KNOW:
            problems.append(f"{path}: not in a room; the rooms are: {' '.join(MAY_KNOW)}")
            continue
        if len(name.parts) > 2 and inner_room(name) not in INNER:
            problems.append(f"{path}: {inner_room(name)} is not among the inner rooms: {' '.join(INNER)}")
            continue
        graph[path] = check_includes(path, name, text, library, problems)
        check_text(path, text, problems)
        macros |= macros_of(text)
        if ("<", "mpi.h") in repo.includes(text) and name.parts[0] != "dist":
            mpi_files.append(path)

    if len(mpi_files) > 1 or any(path.suffix != ".cpp" or path.parent.name != "base" for path in mpi_files):
        problems.append(f"mpi.h belongs into dist/ and one .cpp of base; found in: {' '.join(map(str, mpi_files))}")
    strange = sorted(name for name in macros - LIBRARY_SWITCHES if not name.startswith("MILLRACE_"))
    if strange:
        problems.append(f"macros begin with MILLRACE_; found: {' '.join(strange)}")
    ours = sorted(macros - LIBRARY_SWITCHES)
    if len(ours) > MAX_MACROS:
        problems.append(f"{len(ours)} macros, at most {MAX_MACROS} are right: {' '.join(ours)}")
    cycle = find_cycle(graph)
    if cycle:
        problems.append("these files include each other in a ring: " + " -> ".join(str(path) for path in cycle))
    return [problem.replace(f"{root}/", "") for problem in problems], num_checked


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=repo.ROOT)
    repo.finish("check_layers", *check(parser.parse_args().root.resolve()))
