#!/usr/bin/env bash
# Measures the products of this machine's CPU: builds, runs the benchmarks, writes one record per subject into a
# folder and prints a short table last. Run it on an idle machine; it warns when others are at work.
set -euo pipefail
# shellcheck source=scripts/bootstrap.sh
source "$(dirname "${BASH_SOURCE[0]}")/bootstrap.sh"

if [[ $# -ne 1 || $1 == -h || $1 == --help ]]; then
  echo "usage: cpu_run.sh OUT    writes OUT/CPU-SUBJECT.json; keep them in benchmarks/records/
       and run scripts/make_results.py afterwards"
  exit 0
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
configure cpu
build cpu --target millrace_command benchmark_read_speed benchmark_conversions
millrace=$root/build/cpu/bin/millrace

read -r load _ </proc/loadavg
if awk -v load="$load" 'BEGIN { exit !(load > 1.5) }'; then
  say "the load of this machine is $load: wait until it is idle, or throw the records away" >&2
fi
cpu=$("$root/scripts/cpu_name.sh" "$millrace")

# bench SUBJECT ARGUMENT...: one record.
bench() {
  local subject=$1
  shift
  say "bench $cpu-$subject"
  "$millrace" bench "$@" --json "$out/$cpu-$subject.json"
}
bench stencils poisson2d5:n=2000 poisson3d7:n=128 poisson3d27:n=96 poisson3d7:n=128,permute=1
bench blocks cfd:n=48,block=5 hdg:m=8,faces=40000
bench irregular powerlaw:n=1000000 hugerow:n=2000000
bench holstein-hubbard holstein-hubbard:quanta=9
bench float poisson3d7:n=128 poisson3d27:n=96 --precision float
say "files"
"$root/build/cpu/bin/benchmark_read_speed" "$out/$cpu-files.json"
say "conversions"
OMP_NUM_THREADS=1 "$root/build/cpu/bin/benchmark_conversions" "$out/one-thread.json"
"$root/build/cpu/bin/benchmark_conversions" "$out/$cpu-conversions.json" "$out/one-thread.json"
rm "$out/one-thread.json"
"$root/scripts/check_records.py" "$out"
"$root/scripts/print_records.py" "$out"
