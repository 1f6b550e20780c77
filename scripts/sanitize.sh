#!/usr/bin/env bash
# The tests of all rooms under the sanitizers: addresses, leaks and undefined behaviour (preset asan), then threads
# (several queues at once) over base, products and solvers. Long, so not part of continuous integration.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'TEXT'
usage: sanitize.sh [--out RECORD.json] [asan|tsan...]

asan: the preset asan, every test that is not slow. tsan: ThreadSanitizer without OpenMP, whose run-time library it
cannot see into, over the tests in which threads of their own share matrices, queues and caches. Default: both.
TEXT
}
fail() {
  printf 'sanitize: %s\n' "$*" >&2
  exit 1
}

out='' parts=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --out)
      [[ $# -ge 2 ]] || fail "--out needs a file"
      out=$(realpath "$2")
      shift 2
      ;;
    asan | tsan) parts+=("$1") && shift ;;
    *) fail "unknown part '$1'; there are asan and tsan" ;;
  esac
done
if [[ ${#parts[@]} -eq 0 ]]; then parts=(asan tsan); fi

build() { # build FOLDER CMAKE-ARGUMENT...
  local folder=$1
  shift
  mkdir -p "$folder"
  cmake -S "$root" -B "$folder" "$@" >"$folder/configure.log" 2>&1 || {
    tail -n 20 "$folder/configure.log"
    fail "cmake could not configure $folder"
  }
  cmake --build "$folder" >"$folder/build.log" 2>&1 || {
    grep -E -A 4 'error|FAILED' "$folder/build.log" | head -n 40
    fail "the build in $folder failed"
  }
}

# check PART FOLDER CTEST-ARGUMENT...: one line "name seconds executed findings".
check() {
  local part=$1 folder=$2 begin=$SECONDS log=$2/sanitize.log passed failed
  shift 2
  (cd "$folder" && OMP_WAIT_POLICY=passive UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 TSAN_OPTIONS=halt_on_error=1 \
    ctest -j "$(nproc)" --output-on-failure "$@") >"$log" 2>&1 || true
  passed=$(grep -c -E 'Test +#[0-9]+: .* Passed' "$log" || true)
  failed=$(grep -c -E 'Test +#[0-9]+: .*\*\*\*(Failed|Timeout|Exception)' "$log" || true)
  [[ $((passed + failed)) -gt 0 ]] || { tail -n 5 "$log"; fail "$part ran no test"; }
  printf '%s %d %d %d\n' "$part" "$((SECONDS - begin))" "$((passed + failed))" "$failed" >>"$lines"
  printf 'sanitize: %s: %d suites, %d with findings\n' "$part" "$((passed + failed))" "$failed"
  grep -E '\*\*\*(Failed|Timeout|Exception)|ERROR: |WARNING: ThreadSanitizer|runtime error' "$log" | head -n 30 || true
}

lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
for part in "${parts[@]}"; do
  folder=$root/build/$part
  if [[ $part == asan ]]; then
    build "$folder" --preset asan
    check asan "$folder" -LE slow
  else
    build "$folder" -G Ninja -DCMAKE_BUILD_TYPE=None -DMILLRACE_CUDA=OFF -DMILLRACE_MPI=OFF -DMILLRACE_OPENMP=OFF \
      -DMILLRACE_TESTS=ON -DMILLRACE_BENCHMARKS=OFF -DCMAKE_CXX_FLAGS="-O1 -g1 -fsanitize=thread" \
      -DCMAKE_EXE_LINKER_FLAGS=-fsanitize=thread -DCMAKE_SHARED_LINKER_FLAGS=-fsanitize=thread
    check tsan "$folder" -L fast -R '^(base|sparse|solve|precond)\.'
  fi
done
if [[ -n $out ]]; then
  python3 -B "$root/scripts/write_checks.py" "$out" sanitize.sh "$(c++ --version | head -n 1)" <"$lines"
elif grep -q -v ' 0$' "$lines"; then
  exit 1
fi
