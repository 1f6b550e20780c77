"""Links of the Markdown pages lead somewhere, files they name exist, and verbs they name are verbs of the command."""

import argparse
import pathlib
import re
import subprocess

import repo

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
SHELL_LINE = re.compile(r"^ *(?:\$ )?(?:\S*/)?millrace +([a-z][a-z-]*)", re.MULTILINE)
INDENTED_LINE = re.compile(r"^ {4,}(?:\$ )?(?:\S*/)?millrace +([a-z][a-z-]*)", re.MULTILINE)
CODE_SPAN = re.compile(r"`millrace +([a-z][a-z-]*)[^`]*`")
NAMED_FILE = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:hpp|cpp|cuh|cu|py|sh|md))`")
VERB_OF_HELP = re.compile(r"^  ([a-z][a-z-]*)  +\S", re.MULTILINE)


def anchor_of(heading):
    """The name that a heading gets in a rendered page."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def anchors(text):
    return {anchor_of(line.lstrip("#")) for line in FENCE.sub("", text).split("\n") if line.startswith("#")}


def check_links(page, text):
    problems = []
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue  # another site
        name, _, anchor = target.partition("#")
        path = page if not name else (page.parent / name).resolve()
        if not path.exists():
            problems.append(f"the link '{target}' leads nowhere")
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text(encoding="utf-8")):
            problems.append(f"the link '{target}' names a heading that '{path.name}' does not have")
    return problems


def check_files_named(text, root=repo.ROOT):
    """`sparse/csr.hpp`, below src/millrace or the root, is there; a page may hold code that makes a file."""
    places = [root, root / "src", root / "src" / "millrace"]
    made = set(re.findall(r"^`src/millrace/([^`]+)`:$", text, re.MULTILINE))
    return [f"names the file '{name}', which is neither below the root nor below src or src/millrace"
            for name in sorted(set(NAMED_FILE.findall(FENCE.sub("", text))))
            if not any((place / name).exists() for place in places) and name.removeprefix("src/millrace/") not in made]


def verbs_named(text):
    shell = [body for language, body in FENCE.findall(text) if language in ("sh", "bash", "console")]
    rest = FENCE.sub("", text)
    fenced = {verb for body in shell for verb in SHELL_LINE.findall(body)}
    return fenced | set(INDENTED_LINE.findall(rest)) | set(CODE_SPAN.findall(rest))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", help="the built command `millrace`; without it verbs are not checked")
    arguments = parser.parse_args()
    verbs = None
    if arguments.command:
        help_text = subprocess.run([arguments.command, "--help"], capture_output=True, text=True, check=True).stdout
        verbs = set(VERB_OF_HELP.findall(help_text))
    pages = [path for path in repo.files() if path.suffix == ".md"]
    problems = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        found = check_links(page, text) + check_files_named(text)
        if verbs is not None:
            found += [f"names 'millrace {verb}', but the verbs are: {' '.join(sorted(verbs))}"
                      for verb in sorted(verbs_named(text) - verbs)]
        problems += [f"{page.relative_to(repo.ROOT)}: {problem}" for problem in found]
    repo.finish("check_docs", problems, len(pages))


if __name__ == "__main__":
    main()
