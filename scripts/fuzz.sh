#!/usr/bin/env bash
# Feeds every reader and every text of the library with what libFuzzer makes up, under the sanitizers for addresses and
# undefined behaviour. Needs clang 16 (Debian: clang-16); not part of continuous integration, which replays the corpus.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/fuzz

usage() {
  cat <<'TEXT'
usage: fuzz.sh [--seconds N] [--out RECORD.json] [TARGET...]

Runs each target (default: all, the folders of tests/data/fuzz) for N seconds (default 60). What it finds lies in
build/fuzz/findings; what it learnt in build/fuzz/corpus. Put an input that was found into tests/data/fuzz/TARGET with
the repair, so that the tests replay it. CLANG (default clang++-16) is the compiler.
TEXT
}
fail() {
  printf 'fuzz: %s\n' "$*" >&2
  exit 1
}

seconds=60 out='' names=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --seconds | --out)
      [[ $# -ge 2 ]] || fail "$1 needs a value"
      if [[ $1 == --out ]]; then out=$(realpath "$2"); else seconds=$2; fi
      shift 2
      ;;
    -*) fail "unknown option '$1'; there are --seconds and --out" ;;
    *) names+=("$1") && shift ;;
  esac
done
[[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "--seconds is '$seconds', but must be a whole number above 0"
clang=${CLANG:-clang++-16}
command -v "$clang" >/dev/null || fail "$clang is not here; install clang-16, or name another in CLANG"
if [[ ${#names[@]} -eq 0 ]]; then
  for folder in "$root"/tests/data/fuzz/*/; do names+=("$(basename "$folder")"); done
fi
for name in "${names[@]}"; do
  [[ -d $root/tests/data/fuzz/$name ]] || fail "no target '$name'; the targets are the folders of tests/data/fuzz"
done

mkdir -p "$build"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_BUILD_TYPE=None -DMILLRACE_CUDA=OFF \
  -DMILLRACE_MPI=OFF -DMILLRACE_OPENMP=OFF -DMILLRACE_TESTS=ON -DMILLRACE_BENCHMARKS=OFF -DMILLRACE_FUZZ=ON \
  -DCMAKE_CXX_FLAGS="-O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined" \
  >"$build/configure.log" 2>&1 || { tail -n 20 "$build/configure.log"; fail "cmake could not configure"; }
cmake --build "$build" --target "${names[@]/#/fuzz_}" >"$build/build.log" 2>&1 || {
  grep -E -A 4 'error|FAILED' "$build/build.log" | head -n 40
  fail "the build failed"
}

lines=$build/runs.txt
: >"$lines"
for name in "${names[@]}"; do
  mkdir -p "$build/corpus/$name" "$build/findings/$name"
  log=$build/$name.log begin=$SECONDS
  "$build/bin/fuzz_$name" -max_total_time="$seconds" -print_final_stats=1 -rss_limit_mb=2048 -max_len=4096 \
    -artifact_prefix="$build/findings/$name/" "$build/corpus/$name" "$root/tests/data/fuzz/$name" >"$log" 2>&1 || true
  executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
  findings=$(grep -c -E '^==[0-9]+==ERROR|^SUMMARY: (libFuzzer|UndefinedBehaviorSanitizer)' "$log" || true)
  if [[ -z $executed && $findings -eq 0 ]]; then findings=1; fi
  printf '%s %d %d %d\n' "$name" "$((SECONDS - begin))" "${executed:-1}" "$findings" >>"$lines"
  printf 'fuzz: %-16s %10s inputs, %s findings\n' "$name" "${executed:-?}" "$findings"
  if [[ $findings -gt 0 ]]; then grep -E -A 8 'ERROR|runtime error' "$log" | head -n 20; fi
done
if [[ -n $out ]]; then
  python3 -B "$root/scripts/write_checks.py" "$out" fuzz.sh "$("$clang" --version | head -n 1)" <"$lines"
elif grep -q -v ' 0$' "$lines"; then
  exit 1
fi
