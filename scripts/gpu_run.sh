#!/usr/bin/env bash
# The one script for a machine with a GPU: builds, runs the GPU tests, the sanitizers and the benchmarks, writes
# the receipt and the records into a folder, and prints a short table last. Works without a network when
# scripts/stage_offline.sh has filled .stage/ before.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/cuda
all_steps=(build test ranks examples sanitize receipt bench host)

usage() {
  cat <<'TEXT'
usage: gpu_run.sh OUT [STEP...]

Steps: build test ranks examples sanitize receipt bench host (default: all, in this order); ranks: tests of 2, 4 and 8
ranks of MPI that share the GPU through MPS; examples: every example, and the cases of examples/pde on the GPU; receipt:
of the tests and sanitizers that OUT holds; host times the products of this machine's CPU.
Writes into the folder OUT: gpu-tests.json (the receipt), gpu-test_*.xml, sanitizer logs, checks-examples.json, and
records/*.json.
Keep the receipt and the records in benchmarks/records/, then run scripts/make_results.py.
MILLRACE_CUDA_ARCHITECTURES (default 90) is what the build compiles for, MILLRACE_SANITIZERS (default: memcheck
racecheck) which tools of compute-sanitizer run.
TEXT
}
say() { printf 'gpu_run: %s\n' "$*"; }
fail() {
  say "$*" >&2
  exit 1
}

if [[ $# -eq 0 || $1 == -h || $1 == --help ]]; then
  usage
  exit 0
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
steps=("$@")
if [[ ${#steps[@]} -eq 0 ]]; then steps=("${all_steps[@]}"); fi
for step in "${steps[@]}"; do
  if [[ " ${all_steps[*]} " != *" $step "* ]]; then fail "unknown step '$step'; the steps are: ${all_steps[*]}"; fi
done
wants() { [[ " ${steps[*]} " == *" $1 "* ]]; }
export PATH=$PATH:/usr/local/cuda/bin
staged=$root/.stage/lib-$(uname -m)
if [[ -d $staged ]]; then export LD_LIBRARY_PATH=$staged${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; fi
failed=()

# The sanitizers run the GPU tests of one scalar, and not those that compare long solutions or huge matrices with the
# host: what a kernel does wrong it does in small tests too.
gpu_filter='Gpu*:*/Gpu*'
sanitizer_filter="$gpu_filter-*/0.*:*/2.*:*/3.*:*Large.*:*MoreThan*:GpuBandwidth*:GpuBench*:GpuPeers*:GpuGather*"
sanitizer_filter+=":GpuGmres*FollowsTheHost:GpuBasis*IsOrthonormal*:GpuSolvers*Same*:GpuSmallCg.AgreesWithTheHost"
sanitizer_filter+=":GpuSolvers*ScalesSigns*:GpuVerbs*:GpuTuneGemm*:GpuAmg*IsThatOfTheHost:GpuAmg*SolvesInside*"
read -ra sanitizer_tools <<<"${MILLRACE_SANITIZERS:-memcheck racecheck}"

run_build() {
  cd "$root"
  cmake --preset cuda -DMILLRACE_TESTS=ON -DCMAKE_CUDA_ARCHITECTURES="${MILLRACE_CUDA_ARCHITECTURES:-90}" \
    >"$out/configure.log" 2>&1 || { tail -n 30 "$out/configure.log"; fail "cmake could not configure"; }
  grep -E '^-- Millrace' "$out/configure.log" || true
  cmake --build --preset cuda -j "$(nproc)" >"$out/build.log" 2>&1 || {
    grep -E -A 6 'error|FAILED' "$out/build.log" | head -n 60
    fail "the build failed"
  }
}

run_tests() {
  # One process per program: ctest starts one per test, and each would wait for the GPU to start. They run beside each
  # other, so none of them takes all cores; benchmarks, which come later, may.
  local program name names=()
  for program in "$build"/bin/test_*; do
    name=$(basename "$program")
    if [[ $("$program" --gtest_list_tests --gtest_filter="$gpu_filter" | grep -c '^  ') -eq 0 ]]; then continue; fi
    names+=("$name")
    { OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive timeout 300 "$program" --gtest_filter="$gpu_filter" --gtest_brief=1 \
      --gtest_output="xml:$out/gpu-$name.xml" >"$out/gpu-$name.log" 2>&1 || touch "$out/gpu-$name.failed"
      say "$name: ended after $SECONDS s"; } &
  done
  wait
  for name in "${names[@]}"; do
    if [[ -e $out/gpu-$name.failed ]]; then
      rm "$out/gpu-$name.failed"
      failed+=("$name")
      tail -n 60 "$out/gpu-$name.log"
    fi
    say "$name: $(grep -E '^\[  (PASSED|FAILED)' "$out/gpu-$name.log" | head -n 2 | tr '\n' ' ')"
  done
}

# Ranks that share the GPU: with MPS 2, 4 and 8 of them, without it 2, and then the host must wait for other ranks. The
# first rank writes what the receipt counts; the others agree with it, or mpirun fails.
run_ranks() {
  if ! command -v mpirun >/dev/null; then
    say "ranks: there is no mpirun here"
    return
  fi
  local folder
  folder=$(mktemp -d)  # sockets have short names
  export CUDA_MPS_PIPE_DIRECTORY=$folder CUDA_MPS_LOG_DIRECTORY=$folder
  if nvidia-cuda-mps-control -d; then
    for ranks in 2 4 8; do on_ranks "$ranks" "$ranks" "$gpu_filter"; done
    echo quit | nvidia-cuda-mps-control >/dev/null
  else
    failed+=("ranks: MPS does not start")
  fi
  unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
  rm -rf "$folder"
  on_ranks 2 2-without-mps 'GpuRanks/1.*'
}

# on_ranks NUMBER NAME FILTER
on_ranks() {
  local log=$out/ranks-$2.log result=$out/gpu-test_mpi-$2.xml
  # shellcheck disable=SC2016  # for the shell of each rank
  if ! OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 MILLRACE_PATIENCE=60 timeout 300 \
    mpirun --oversubscribe --bind-to none -n "$1" bash -c '
      if [[ ${OMPI_COMM_WORLD_RANK:-0} == 0 ]]; then result=(--gtest_output="xml:$3"); else result=(); fi
      exec "$1" --gtest_filter="$2" --gtest_brief=1 --gtest_color=no "${result[@]}"' \
    rank "$build/bin/test_mpi" "$3" "$result" >"$log" 2>&1; then
    failed+=("ranks $2")
    tail -n 60 "$log"
  fi
  say "ranks $2: $(grep -E '^\[  (PASSED|FAILED)' "$log" | head -n 2 | tr '\n' ' ')"
}

# Every example returns 0 when its answer is right; so does the command, for cases whose solution is known.
run_examples() {
  local work lines=$out/examples.lines name
  work=$(mktemp -d)
  : >"$lines"
  cd "$work"  # for what they write
  for program in "$build"/bin/example_*; do run_example "$(basename "$program")" "$program" "$work"; done
  for case in "$root"/examples/pde/*.toml; do
    name=$(basename "$case" .toml)
    run_example "pde-$name" "$build/bin/millrace" pde "$case" --device gpu --picture "$work/$name.svg"
  done
  cd "$root"
  rm -rf "$work"
  "$root/scripts/write_checks.py" "$out/checks-examples.json" gpu_run.sh "$(nvcc --version | grep -o 'release.*')" \
    <"$lines" || failed+=("examples")
}

# run_example NAME COMMAND...: one line "name seconds executed findings".
run_example() {
  local name=$1 begin=$SECONDS wrong=0
  shift
  OMP_NUM_THREADS=4 timeout 120 "$@" >"$out/$name.log" 2>&1 || {
    wrong=1
    tail -n 20 "$out/$name.log"
  }
  printf '%s %d 1 %d\n' "$name" "$((SECONDS - begin))" "$wrong" >>"$out/examples.lines"
}

# Sums what the tools report at their end: "ERROR SUMMARY: 3 errors", "RACECHECK SUMMARY: 1 hazard displayed".
count_errors() { grep -h -o -E 'SUMMARY: [0-9]+' "$@" | awk '{ sum += $2 } END { print sum + 0 }'; }

# One tool over one test program; all of them run beside each other.
sanitize() {
  local tool=$1 program=$2 log=$3
  # Failing calls are part of the tests (memory that is not there), so only errors of kernels count.
  OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive timeout 300 compute-sanitizer --tool "$tool" --error-exitcode 1 \
    --report-api-errors no "$program" --gtest_filter="$sanitizer_filter" >"$log" 2>&1 || echo "exit status $?" >>"$log"
}

run_sanitizers() {
  local tool program log logs=()
  for tool in "${sanitizer_tools[@]}"; do
    for program in "$build"/bin/test_*; do
      if ! "$program" --gtest_list_tests --gtest_filter="$sanitizer_filter" | grep -q '^  '; then continue; fi
      log=$out/$tool-$(basename "$program").log
      logs+=("$log")
      sanitize "$tool" "$program" "$log" &
    done
  done
  wait
  for log in "${logs[@]}"; do
    if grep -q '^exit status' "$log"; then
      failed+=("$(basename "$log" .log)")
      grep -E '=========|FAILED|exit status' "$log" | head -n 40
    fi
    say "$(basename "$log" .log): $(grep -h -o -E 'SUMMARY: .*' "$log" | tail -n 1)"
  done
}

# bench NAME ARGUMENT...: one record, one subject.
bench() {
  local name=$1
  shift
  say "bench $name"
  local options=(--device gpu --json "$out/records/$name.json")
  if [[ " $* " != *" --min-time "* ]]; then options+=(--min-time 0.1); fi
  "$build/bin/millrace" bench "$@" "${options[@]}" >"$out/bench-$name.log" 2>&1 || {
    tail -n 20 "$out/bench-$name.log"
    failed+=("bench $name")
  }
}

# Real matrices that were staged; xz is unpacked here, for this machine may lack the library that reads it.
staged_matrices() {
  mkdir -p "$build/matrices"
  python3 - "$root/.stage/matrices" "$build/matrices" <<'PYTHON'
import concurrent.futures, lzma, pathlib, shutil, sys
source, target = map(pathlib.Path, sys.argv[1:])
def unpack(file):
    if file.suffix == ".xz":
        (target / file.stem).write_bytes(lzma.decompress(file.read_bytes()))
    else:
        shutil.copy(file, target / file.name)
with concurrent.futures.ThreadPoolExecutor() as pool:
    list(pool.map(unpack, source.iterdir() if source.is_dir() else []))
PYTHON
}

run_benchmarks() {
  mkdir -p "$out/records"
  local device
  device=$(nvidia-smi --query-gpu=name --format=csv,noheader -i 0 | tr 'A-Z ' 'a-z-')
  device=${device#nvidia-}
  bench "$device-stencils" poisson2d5:n=2000 poisson3d7:n=160 poisson3d27:n=110 --cold \
    --formats csr,dia,dia-32,sell-32-1-full,sell-32-1
  bench "$device-permuted" poisson3d7:n=128,permute=1 --cold \
    --formats csr,sell-32-1-full,sell-32-1-full-rcm,sell-32-1-rcm
  bench "$device-blocks" cfd:n=48,block=5 hdg:m=8 hdg:m=12 hdg:m=16 hdg:m=20 hdg:m=24 hdg:m=8,faces=300000 \
    hdg:m=24,faces=60000 hdg:m=30,na=7,faces=20000 --cold --formats bsr,dbf
  # sell would give a long row to one thread
  bench "$device-powerlaw" powerlaw:n=1000000 --cold --gather --formats csr,coo,hyb
  bench "$device-random" random:n=1000000 --cold --gather --formats csr,coo,sell-32-1
  bench "$device-huge-row" hugerow:n=2000000 --cold --formats csr,coo,hyb
  say "bench $device-solvers"
  "$build/bin/benchmark_solvers" "$out/records/$device-solvers.json" gpu >"$out/bench-$device-solvers.log" 2>&1 || {
    tail -n 20 "$out/bench-$device-solvers.log"
    failed+=("bench $device-solvers")
  }
  say "bench $device-bp"
  "$build/bin/benchmark_bp" "$out/records/$device-bp.json" gpu >"$out/bench-$device-bp.log" 2>&1 || {
    tail -n 20 "$out/bench-$device-bp.log"
    failed+=("bench $device-bp")
  }
  bench "$device-surrogates" hmep dlr2 uhbr:scale=0.5 --cold --formats csr,bsr,sell-32-1-full,sell-32-1-dict
  bench "$device-float" poisson2d5:n=2000 poisson3d7:n=160 poisson3d27:n=110 --cold --precision float \
    --formats csr,dia-32,sell-32-1-full
  staged_matrices
  local matrices=("$build"/matrices/*)
  if [[ -e ${matrices[0]} ]]; then
    bench "$device-real" "${matrices[@]}" --cold --graph --min-time 0.02 \
      --formats csr,ell,sell-32-1-full,sell-32-1,sell-32-1024-full,bsr,dia
  fi
}

# The CPU beside the GPU: stencils too large for its caches.
run_host_benchmarks() {
  mkdir -p "$out/records"
  local cpu options
  cpu=$("$root/scripts/cpu_name.sh" "$build/bin/millrace")
  options=(--device cpu --formats csr,dia,sell-8-1-full,sell-8-1,sell-32-1,hyb,bsr,dbf,tcoo --min-time 0.5)
  say "bench $cpu-stencils"
  OMP_PROC_BIND=true "$build/bin/millrace" bench poisson2d5:n=5000 poisson3d7:n=288 poisson3d27:n=176 "${options[@]}" \
    --json "$out/records/$cpu-stencils.json" >"$out/bench-$cpu-stencils.log" 2>&1 || failed+=("bench $cpu-stencils")
  say "bench $cpu-blocks"
  OMP_PROC_BIND=true "$build/bin/millrace" bench cfd:n=100,block=5 hdg:m=8,faces=400000 powerlaw:n=4000000 \
    hugerow:n=16000000 "${options[@]}" --json "$out/records/$cpu-blocks.json" >"$out/bench-$cpu-blocks.log" 2>&1 ||
    failed+=("bench $cpu-blocks")
}

write_receipt() {
  local tool='' errors=0 logs=()
  for log in "$out"/memcheck-*.log "$out"/racecheck-*.log; do [[ ! -e $log ]] || logs+=("$log"); done
  if [[ ${#logs[@]} -gt 0 ]]; then
    tool="compute-sanitizer ${sanitizer_tools[*]}"
    errors=$(count_errors "${logs[@]}")
  fi
  "$root/scripts/gpu_receipt.py" --receipt "$out/gpu-tests.json" write --result "$out"/gpu-test_*.xml \
    --device "$(nvidia-smi --query-gpu=name --format=csv,noheader -i 0)" \
    --driver "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0)" \
    --cuda "$(nvcc --version | grep -o 'release [0-9.]*' | cut -d ' ' -f 2)" \
    --sanitizer "$tool" --sanitizer-errors "$errors" || true
}

if wants build; then run_build; fi
if wants test; then run_tests; fi
if wants ranks; then run_ranks; fi
if wants examples; then run_examples; fi
if wants sanitize; then run_sanitizers; fi
if wants bench; then run_benchmarks; fi
if wants host; then run_host_benchmarks; fi
if wants receipt; then write_receipt; fi
if wants bench || wants host; then
  "$root/scripts/check_records.py" "$out/records" || failed+=(check_records)
  "$root/scripts/print_records.py" "$out/records"
fi
if [[ ${#failed[@]} -gt 0 ]]; then fail "failed: $(printf '%s; ' "${failed[@]}")"; fi
