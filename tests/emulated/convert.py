"""Turns CUDA sources into C++ that the emulator runs: launches become calls, namespace cuda becomes emulated, shared
variables static ones, for one block runs at a time, and what is assembly a plain copy or nothing.

usage: convert.py SRC OUT FILE...     FILE: as included, millrace/fem/hex/lines.cuh"""

import pathlib
import re
import sys

# Bodies of functions that are written in assembly.
BODIES = {"copy_behind": "*s_to = *from;", "wait_for_copies": "",
          "prefetch": "(void)from, (void)bytes;", "guess_reciprocal": "guess = 1 / static_cast<float>(number);",
          "write_word": "*word = {std::uint32_t(bits), turn, std::uint32_t(bits >> 32), turn};",
          "wait_for_word": "while (word->low_turn != turn && word->low_turn != MailboxWord::abandoned) {}"
                           "return word->low | std::uint64_t{word->high} << 32;"}


def closing(text, begin, opens, closes):
    """The place of the bracket that closes the one at `begin`."""
    depth = 0
    for place in range(begin, len(text)):
        depth += (text[place] == opens) - (text[place] == closes)
        if depth == 0:
            return place
    raise ValueError("a bracket is not closed")


def split(arguments):
    parts, depth, last = [], 0, 0
    for place, letter in enumerate(arguments):
        depth += (letter in "(<{") - (letter in ")>}")
        if letter == "," and depth == 0:
            parts.append(arguments[last:place])
            last = place + 1
    return [*parts, arguments[last:]]


def convert_launches(text):
    while (begin := text.find("<<<")) >= 0:
        kernel = re.search(r"[\w:]+(<[^;{}]*>)?\s*$", text[:begin])
        end = text.index(">>>", begin)
        last = closing(text, end + 3, "(", ")")
        grid, block, shared = split(text[begin + 3:end])[:3]
        call = f"{kernel.group(0).strip()}{text[end + 3:last + 1]}"
        text = (f"{text[:kernel.start()]}emulator::launch(dim3({grid}), dim3({block}), {shared}, [&] {{ {call}; }})"
                f"{text[last + 1:]}")
    return text


def convert(text):
    for name, body in BODIES.items():
        found = re.search(rf"__device__ inline [\w:]+ {name}\([^)]*\) {{", text)
        if found:
            text = text[:found.end()] + body + text[closing(text, found.end() - 1, "{", "}"):]
    text = re.sub(r"extern __shared__( __align__\(\d+\))?", "extern", convert_launches(text))
    return text.replace("__shared__", "static")


def rename(text):
    """The headers of the library keep their namespace: it has them compiled itself."""
    return text.replace("namespace millrace::cuda {", "namespace millrace::cuda {}\nnamespace millrace::emulated {\n"
                        "using namespace millrace::cuda;")


def main():
    root, out = map(pathlib.Path, sys.argv[1:3])
    for name in sys.argv[3:]:
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        converted = convert((root / name).read_text())
        if not name.endswith(".hpp"):
            converted = rename(converted)
        if not target.exists() or target.read_text() != converted:  # or what includes it would be compiled again
            target.write_text(converted)


if __name__ == "__main__":
    main()
