#!/usr/bin/env bash
# Prints the name of this machine's CPU as records use it: "neoverse-v1". Argument: the millrace command.
set -euo pipefail
"$1" devices --json | python3 -c '
import json, re, sys
name = json.load(sys.stdin)["devices"][0]["name"]
print(re.sub(r"[^a-z0-9]+", "-", re.sub(r"\(.*?\)|^Arm |CPU.*|Processor.*", "", name).strip().lower()).strip("-"))'
