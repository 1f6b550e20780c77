"""Every public declaration has a /// comment. Public are the headers that millrace/millrace.hpp and millrace/fem.hpp
include: they stand at the top of a room. Declarations without a blank line between them share one comment."""

import argparse
import pathlib
import re

import repo

FACES = ("millrace.hpp", "fem.hpp")
# Rooms whose top holds nothing private: each header there is in a face.
ALL_PUBLIC = ("mesh", "solve", "sparse", "fem")
PRIVATE_NAMESPACES = ("detail", "cuda", "host", "simd")
# What needs no comment of its own: aliases and constants say themselves, the rest declares nothing new.
PLAIN = re.compile(r"(using|extern template|inline constexpr|constexpr|static_assert|class \w+;|struct \w+;|#|}|//[^/]|"
                   r"template <[^;{]*>\s*(using|inline constexpr|constexpr|class \w+;|struct \w+;))")


def public_headers(library):
    """The headers that the faces include, as in sparse/matrix.hpp."""
    names = set()
    for face in FACES:
        for _, header in repo.includes((library / face).read_text(encoding="utf-8")):
            name = header.removeprefix("millrace/")
            if header.startswith("millrace/") and name not in FACES:
                names.add(name)
    return sorted(names)


def paragraphs(text):
    """Line number, namespaces and text of every paragraph at namespace scope."""
    scopes, depth, found, current = [], 0, [], None
    for number, line in enumerate(text.split("\n"), start=1):
        at_scope = depth == len(scopes)
        code = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', "", line).split("//")[0]
        name = re.match(r"(?:inline )?namespace ([\w:]*)\s*{", line)
        if at_scope and name:
            scopes.append(name.group(1))
            depth += 1
            current = None
            continue
        if at_scope and (not line.strip() or line.startswith("}")):
            current = None
            if line.startswith("}"):
                scopes.pop()
                depth -= 1
            continue
        if current is None:
            current = [number, list(scopes), ""]
            found.append(current)
        current[2] += line + "\n"
        depth += code.count("{") - code.count("}")
    return [(number, names, body) for number, names, body in found if names]


def missing_comments(text):
    """Lines of the header at which a public declaration has no comment."""
    lines = []
    for number, names, body in paragraphs(text):
        inner = {part for name in names for part in name.split("::")}
        if inner & set(PRIVATE_NAMESPACES) or "" in inner or body.startswith("///"):
            continue
        declared = re.sub(r"^//.*\n", "", body, flags=re.MULTILINE)
        member = re.match(r"(template <[^;{]*>\s*)?[^({;]*::~?\w+\(", declared)  # defined outside of its class
        if declared and not member and not PLAIN.match(declared):
            lines.append(number)
    return lines


def check(root):
    library = root / "src" / "millrace"
    problems, headers = [], public_headers(library)
    for name in headers:
        if name.count("/") != 1:
            problems.append(f"src/millrace/{name}: a face includes it, but only the top of a room is public")
            continue
        for line in missing_comments((library / name).read_text(encoding="utf-8")):
            problems.append(f"src/millrace/{name}:{line}: a public declaration without a /// comment")
    for room in ALL_PUBLIC:
        for path in sorted((library / room).glob("*.hpp")):
            if f"{room}/{path.name}" not in headers:
                problems.append(f"src/millrace/{room}/{path.name}: at the top of {room}, but not in "
                                "millrace/millrace.hpp or millrace/fem.hpp; what is private belongs into a subfolder")
    return problems, len(headers)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=repo.ROOT)
    repo.finish("check_api", *check(parser.parse_args().root.resolve()))
