"""Precompiled headers for small sources, most of whose time is the parsing of the same few headers of ours.

A source that includes one of these anyway is compiled after its precompiled form, which hides nothing as long as that
header is checked alone as well (header_alone.py).
"""

import compiler
import repo

# A precompiled header costs some compilations, and must spare others as many times what it includes.
PRICE = 5


def included_anyway(source, root, direct):
    """All that a source, by its name below root or its path, always includes, however deep; `direct` keeps them."""
    waiting, found = [source], set()
    while waiting:
        name = waiting.pop()
        if name not in direct:
            path = root / name
            always = path.read_text(encoding="utf-8").split("\n#if")[0] if path.is_file() else ""
            direct[name] = {included for _, included in repo.includes(always)}
        new = direct[name] - found
        found |= new
        waiting += new
    return found


def worth_precompiling(included, sizes):
    """included: {source: all that it includes}, sizes: {header of ours: how many it includes}; gives {source: which of
    these it begins with, or None}."""
    spared = dict.fromkeys(included, 0)  # headers that are not parsed again
    chosen = dict.fromkeys(included)
    while True:
        gains = {header: sum(max(0, size - spared[source]) for source in included if header in included[source])
                 for header, size in sizes.items()}
        best = max(gains, key=gains.get, default=None)
        if best is None or gains[best] < PRICE * max(1, sizes[best]):
            return chosen
        for source in included:
            if best in included[source] and spared[source] < sizes[best]:
                chosen[source], spared[source] = best, sizes[best]


def words(sources, root, command, folder):
    """{source: what its command begins with}; the precompiled headers are below the folder.

    What does not compile here is a problem where it is compiled alone.
    """
    direct = {}
    included = {source: included_anyway(source, root, direct) for source in sources}
    ours = {name for names in included.values() for name in names if (root / name).is_file()}
    chosen = worth_precompiling(included, {name: len(included_anyway(name, root, direct)) for name in ours})
    first = {header: folder / header for header in sorted(set(chosen.values()) - {None})}
    jobs = {}
    for header, path in first.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#include "{header}"\n', encoding="utf-8")
        jobs[header] = ([*(word for word in command if word != "-fsyntax-only"), "-x", "c++-header", str(path), "-o",
                         f"{path}.gch"], None)
    compiler.run_all(jobs)
    return {source: ["-include", str(first[header])] if header else [] for source, header in chosen.items()}
