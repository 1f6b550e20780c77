"""What the scripts that record flows share: cases of examples/flow with other numbers, runs of the command, heads."""

import datetime
import json
import pathlib
import re
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples" / "flow"


def text_of(name, changes):
    """The example with other values of keys, each of which it has once."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    for key, value in changes.items():
        text, count = re.subn(rf"(?m)^{key} = \S+", f"{key} = {value}", text)
        if count != 1:
            sys.exit(f"{pathlib.Path(sys.argv[0]).stem}: {name} has {count} lines '{key} = '")
    return text


def solve(command, text, folder, *words, **settings):
    """The record of a run of the case, or None, and how the command ended; words and settings are for its process."""
    file, out = pathlib.Path(folder) / "case.toml", pathlib.Path(folder) / "run.json"
    file.write_text(text, encoding="utf-8")
    out.unlink(missing_ok=True)
    done = subprocess.run([command, "flow", str(file), "--json", str(out), *words], text=True, capture_output=True,
                          check=False, **settings)
    return json.loads(out.read_text(encoding="utf-8")) if out.exists() else None, done


def head(schema, ended):
    """What a record begins with; the machine and the build are those of a record of the command."""
    return {"schema": schema, "version": 1,
            "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "machine": ended["machine"], "build": ended["build"]}
