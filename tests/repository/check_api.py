"""Every public declaration has a /// comment. Public are the headers that millrace/millrace.hpp and millrace/fem.hpp
include: they stand at the top of a room. Declarations without a blank line between them share one comment."""

import argparse
import pathlib
import re

import repo
import public_api  # of scripts/, which repo has put on the path

# Rooms whose top holds nothing private: each header there is in a face.
ALL_PUBLIC = ("mesh", "solve", "sparse", "fem")
# What needs no comment of its own: aliases and constants say themselves, the rest declares nothing new.
PLAIN = re.compile(r"(using|extern template|inline constexpr|constexpr|static_assert|class \w+;|struct \w+;|#|}|//[^/]|"
                   r"template <[^;{]*>\s*(using|inline constexpr|constexpr|class \w+;|struct \w+;))")




def missing_comments(text):
    """Lines of the header at which a public declaration has no comment."""
    lines = []
    for number, body in public_api.paragraphs(text):
        if body.startswith("///"):
            continue
        declared = re.sub(r"^//.*\n", "", body, flags=re.MULTILINE)
        member = re.match(r"(template <[^;{]*>\s*)?[^({;]*::~?\w+\(", declared)  # defined outside of its class
        if declared and not member and not PLAIN.match(declared):
            lines.append(number)
    return lines


def check(root):
    library = root / "src" / "millrace"
    problems, headers = [], public_api.public_headers(library)
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
