#!/usr/bin/env bash
# The tests of all rooms under the sanitizers: addresses, leaks and undefined behaviour (preset asan), then threads
# (several queues at once) over base, products and solvers. Long, so not part of continuous integration.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'TEXT'
usage: sanitize.sh [--out RECORD.json] [asan|tsan...]

asan: the preset asan, every test that is not slow. tsan: ThreadSanitizer over the pool of threads and over the tests
in which threads of their own share matrices, queues and caches; peers go without OpenMP, whose run-time library it
cannot see into. Default: both.
The record has what each part found when it ran last, so parts may run one by one.
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

build() { # build FOLDER TARGETS CMAKE-ARGUMENT...
  local folder=$1 targets
  read -ra targets <<<"$2"
  shift 2
  mkdir -p "$folder"
  cmake -S "$root" -B "$folder" "$@" >"$folder/configure.log" 2>&1 || {
    tail -n 20 "$folder/configure.log"
    fail "cmake could not configure $folder"
  }
  cmake --build "$folder" --target "${targets[@]}" >"$folder/build.log" 2>&1 || {
    grep -E -A 4 'error|FAILED' "$folder/build.log" | head -n 40
    fail "the build in $folder failed"
  }
}

# run_tests FOLDER LEAKS CTEST-ARGUMENT... Tests of the command start it some 500 times, and a look for leaks takes 5 s
# each time; what leaks in the library, its own tests find.
run_tests() {
  local folder=$1 leaks=$2
  shift 2
  (cd "$folder" && UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
    ASAN_OPTIONS=detect_leaks=$leaks:allocator_may_return_null=1 \
    TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:allocator_may_return_null=1 \
    ctest -j "$(nproc)" --output-on-failure "$@") || true
}

# check PART FOLDER CTEST-ARGUMENT...: one line "name seconds executed findings" into the folder.
check() {
  local part=$1 folder=$2 begin=$SECONDS log=$2/sanitize.log passed failed
  shift 2
  {
    run_tests "$folder" 1 "$@" -E '^apps\.'
    if [[ $part == asan ]]; then run_tests "$folder" 0 "$@" -R '^apps\.'; fi
  } >"$log" 2>&1
  passed=$(grep -c -E 'Test +#[0-9]+: .* Passed' "$log" || true)
  failed=$(grep -c -E 'Test +#[0-9]+: .*\*\*\*(Failed|Timeout|Exception)' "$log" || true)
  [[ $((passed + failed)) -gt 0 ]] || { tail -n 5 "$log"; fail "$part ran no test"; }
  printf '%s %d %d %d\n' "$part" "$((SECONDS - begin))" "$((passed + failed))" "$failed" >"$folder/sanitize.line"
  printf 'sanitize: %s: %d suites, %d with findings\n' "$part" "$((passed + failed))" "$failed"
  grep -E '\*\*\*(Failed|Timeout|Exception)|ERROR: |WARNING: ThreadSanitizer|runtime error' "$log" | head -n 30 || true
}

for part in "${parts[@]}"; do
  folder=$root/build/$part
  if [[ $part == asan ]]; then
    build "$folder" all --preset asan
    check asan "$folder" -LE slow
  else
    build "$folder" "test_base test_sparse test_solve test_precond" -G Ninja -DCMAKE_BUILD_TYPE=None \
      -DMILLRACE_CUDA=OFF -DMILLRACE_MPI=OFF -DMILLRACE_OPENMP=OFF -DMILLRACE_TESTS=ON -DMILLRACE_BENCHMARKS=OFF \
      -DCMAKE_CXX_FLAGS="-O1 -g1 -fsanitize=thread" \
      -DCMAKE_EXE_LINKER_FLAGS=-fsanitize=thread -DCMAKE_SHARED_LINKER_FLAGS=-fsanitize=thread
    # Lists of tests that are not built here are empty, for ctest wants them.
    sed -n 's/^include("\(.*\)")$/\1/p' "$folder/tests/CTestTestfile.cmake" |
      while read -r list; do [[ -e $list ]] || : >"$list"; done
    check tsan "$folder" -L fast -R '^(base|sparse|solve|precond)\.'
  fi
done
lines=("$root"/build/{asan,tsan}/sanitize.line)
if [[ -n $out ]]; then
  for line in "${lines[@]}"; do
    [[ -e $line ]] || fail "no record: $(basename "$(dirname "$line")") has not run yet"
  done
  cat "${lines[@]}" | python3 -B "$root/scripts/write_checks.py" "$out" sanitize.sh "$(c++ --version | head -n 1)"
fi
for part in "${parts[@]}"; do grep -q ' 0$' "$root/build/$part/sanitize.line" || exit 1; done
