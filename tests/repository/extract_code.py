"""Makes a program of the C++ blocks of a Markdown page, so that the page compiles and runs.

A block with `int main(` is the program. Otherwise the page's blocks, in order, are the statements of one
main function; their #include lines move to the top. Names that are declared after a line `<!-- names of its own -->`
are known up to the next such line.
"""

import argparse
import pathlib
import re

BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.MULTILINE | re.DOTALL)
SCOPE = "<!-- names of its own -->\n"


def program_of(text):
    blocks = BLOCK.findall(text)
    whole = [block for block in blocks if "int main(" in block]
    if whole:
        return whole[0]
    first, *scopes = (BLOCK.findall(part) for part in text.split(SCOPE))
    parts = ["".join(first), *("{\n" + "".join(part) + "}\n" for part in scopes)]
    lines = "".join(parts).split("\n")
    top = sorted({line for line in lines if line.startswith("#include")}, key=lambda line: (line[9] == '"', line))
    body = [line for line in lines if not line.startswith("#include")]
    return "\n".join([*top, "", "int main() {", *body, "}", ""])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.output.write_text(program_of(arguments.page.read_text(encoding="utf-8")), encoding="utf-8")
