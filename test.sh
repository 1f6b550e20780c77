#!/usr/bin/env bash
# Builds everything that is found here and runs all tests.
set -euo pipefail
# shellcheck source=scripts/bootstrap.sh
source "$(dirname "${BASH_SOURCE[0]}")/scripts/bootstrap.sh"

usage() {
  cat <<'TEXT'
usage: test.sh [ARGUMENT of ctest...]

Installs what is missing (Debian: apt-get, as root or through sudo), builds the preset `ci` and runs
all tests through ctest, for example: test.sh -R repository, test.sh -LE slow.
MILLRACE_DATA names a folder with real matrices; tests that need it are skipped without it, and
tests of a GPU where there is none. A second run reuses the build and needs no network.
TEXT
}

for argument in "$@"; do
  if [[ $argument == -h || $argument == --help ]]; then
    usage
    exit 0
  fi
done

ensure_packages test
if [[ -z ${MILLRACE_DATA:-} && -d $root/../shared/matrices ]]; then
  MILLRACE_DATA=$(cd "$root/../shared" && pwd)
  export MILLRACE_DATA
fi
if [[ -n ${MILLRACE_DATA:-} ]]; then
  say "real matrices from $MILLRACE_DATA"
else
  say "MILLRACE_DATA is not set: tests on real matrices are skipped"
fi
if ! has_gpu; then say "no GPU here: tests labelled gpu are skipped"; fi

configure ci
build "$root/build/ci"

log=$root/build/ci/ctest.log
status=0
(cd "$root" && ctest --preset ci -j "$(nproc)" --output-junit "$root/build/ci/ctest.xml" "$@") 2>&1 | tee "$log" ||
  status=$?
# The lists of skipped or failed tests come after ctest's verdict; say it once more as the last line.
grep -E 'tests passed|No tests were found' "$log" | tail -n 1 || true
exit "$status"
