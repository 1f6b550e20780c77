"""Writes the reference of the public headers as Markdown: one page per room, every declaration with its comment."""

import argparse
import pathlib
import re

import public_api


def first_comment(text):
    """The lines that say what a header is."""
    lines = []
    for line in text.split("\n"):
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return " ".join(lines)


def without_bodies(code):
    """A declaration as a user reads it: no bodies of functions, no private members."""
    code = re.sub(r"^ private:\n(?:.*\n)*?(?=^};)", "", code, flags=re.MULTILINE)
    if not re.match(r"(template <[^;{]*>\s*(requires[^\n]*\n)?)?(class|struct|enum)\b", code):
        return re.sub(r"\s*\{\n(?:  .*\n|\n)*\}", ";", code)
    body = r"(?:\s*:[^{;]*)?\s*\{(?:[^{}]|\{[^{}]*\})*\}"  # with the initialisers of a constructor before it
    code = re.sub(r"(\)(?: const| noexcept)*(?: override)?)" + body, r"\1;", code)
    return re.sub(r"\n\s*\n+", "\n", code)


def escape(prose):
    """Angle brackets are no tags, but for those in `code`."""
    return "`".join(part if k % 2 else part.replace("<", "\\<") for k, part in enumerate(prose.split("`")))


def page(library, room, names):
    lines = [f"# {room}", ""]
    for name in names:
        text = (library / name).read_text(encoding="utf-8")
        lines += [f"## `millrace/{name}`", "", escape(first_comment(text)), ""]
        for _, body in public_api.paragraphs(text):
            if body.startswith(("//", "extern template", "#")) and not body.startswith("///"):
                continue
            comment = re.match(r"(?:///.*\n)*", body).group(0)
            declared = without_bodies(body[len(comment):]).rstrip()
            if declared:
                prose = re.sub(r"^/// ?", "", comment, flags=re.MULTILINE).rstrip()
                lines += [escape(prose), "", "```cpp", declared, "```", ""]
    return "\n".join(lines)


def write(root, folder):
    """The pages, as a dictionary of their names and texts; written when a folder is given."""
    library = root / "src" / "millrace"
    headers, pages = public_api.public_headers(library), {}
    for room in dict.fromkeys(name.split("/")[0] for name in headers):
        pages[f"{room}.md"] = page(library, room, [name for name in headers if name.split("/")[0] == room])
    index = [f"- [{name.removesuffix('.md')}]({name})" for name in pages]
    pages["README.md"] = "\n".join(["# Reference of the public headers", "", *index, ""])
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            (folder / name).write_text(text, encoding="utf-8")
    return pages


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    written = write(pathlib.Path(__file__).resolve().parents[1], arguments.folder)
    print(f"{len(written)} pages in {arguments.folder}")
