"""The public headers, and the declarations in them: for the check of their comments and for the reference."""

import re

FACES = ("millrace.hpp", "fem.hpp")
PRIVATE_NAMESPACES = {"detail", "cuda", "host", "simd"}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def public_headers(library):
    """The headers that the faces include, as in sparse/matrix.hpp."""
    names = set()
    for face in FACES:
        for header in INCLUDE.findall((library / face).read_text(encoding="utf-8")):
            name = header.removeprefix("millrace/")
            if header.startswith("millrace/") and name not in FACES:
                names.add(name)
    return sorted(names)


def paragraphs(text):
    """Line number and text of every paragraph at the scope of a public namespace."""
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
    parts = [(number, {part for name in names for part in name.split("::")}, body) for number, names, body in found]
    return [(number, body) for number, names, body in parts
            if names and "" not in names and not names & PRIVATE_NAMESPACES]
