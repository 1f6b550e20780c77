#!/usr/bin/env bash
# Prints the name of this machine's CPU and its cores as records use it: "intel-xeon-16-cores". Argument: the millrace
# command.
set -euo pipefail
"$1" devices --json | python3 -c '
import json, re, sys
cpu = json.load(sys.stdin)["devices"][0]
name = re.sub(r"\(.*?\)|^Arm |CPU.*|Processor.*", "", cpu["name"]).strip().lower()
print(re.sub(r"[^a-z0-9]+", "-", name).strip("-") + "-{}-cores".format(cpu["num_units"]))'
