#!/usr/bin/env bash
# How much of an exchange each mode hides over a slow link: two ranks in two network namespaces of this machine, joined
# by a link that lets through so much that the exchange takes 0.75 of the local product. Needs root, iproute2, OpenMPI.
set -euo pipefail

if [[ ${1:-} == -h || ${1:-} == --help || $# -ne 2 ]]; then
  echo "usage: slow_link.sh BENCHMARK_OVERLAP OUT.json    the program as built, and the record"
  [[ $# -eq 2 ]] || exit 2
  exit 0
fi
program=$(realpath "$1") out=$(realpath -m "$2")
fail() {
  printf 'slow_link: %s\n' "$*" >&2
  exit 1
}
[[ -x $program ]] || fail "$1 is no program; build the target benchmark_overlap"
[[ $(id -u) -eq 0 ]] || fail "namespaces of networks need root"
for tool in ip tc mpirun unshare python3; do command -v "$tool" >/dev/null || fail "$tool is not here"; done

work=$(mktemp -d)
burst=16384  # bytes that pass at once
here=millrace-$$-a there=millrace-$$-b
clean() {
  ip netns del "$here" 2>/dev/null || true
  ip netns del "$there" 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive

# The other rank's daemon is started there, under another name, or MPI would take shared memory.
cat >"$work/agent.sh" <<AGENT
#!/bin/sh
shift
exec ip netns exec $there unshare --uts sh -c "hostname millrace-b; \$*"
AGENT
chmod +x "$work/agent.sh"

open_link() { # open_link MBIT
  local side name number
  ip netns del "$here" 2>/dev/null || true
  ip netns del "$there" 2>/dev/null || true
  ip netns add "$here"
  ip netns add "$there"
  ip link add veth0 netns "$here" type veth peer name veth0 netns "$there"
  for side in "$here 1" "$there 2"; do
    read -r name number <<<"$side"
    ip -n "$name" addr add "10.77.0.$number/24" dev veth0
    ip -n "$name" link set lo up
    ip -n "$name" link set veth0 mtu 9000 up  # as networks of clusters have, so that packets cost this machine little
    tc -n "$name" qdisc add dev veth0 root tbf rate "$1mbit" burst ${burst}b latency 50ms
  done
}

over_link() { # over_link ARGUMENT...
  ip netns exec "$here" unshare --uts sh -c 'hostname millrace-a; exec "$@"' sh \
    mpirun -n 2 --host 10.77.0.1:1,10.77.0.2:1 --mca plm_rsh_agent "$work/agent.sh" --mca btl tcp,self \
    --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 --bind-to none \
    -x OMP_NUM_THREADS -x OMP_WAIT_POLICY "$program" "$@"
}

records=()
for case in "dlr1 bsr 6" "uhbr:0.125 bsr 5"; do
  read -r spec format block <<<"$case"
  mpirun -n 2 --bind-to none "$program" "$work/plain.json" "$spec" "$format" "$block" 0 "${records[@]}"
  rate=$(python3 - "$work/plain.json" "$burst" <<'PYTHON'
import json, sys
point = json.load(open(sys.argv[1]))["points"][-1]
local = next(t["median_us"] for t in point["times"] if t["what"] == "local") * 1e-6
one_way = point["halo_bytes"] / 4  # each of two ranks sends and receives, and both were counted
print(max(1, round(8 * max(one_way - int(sys.argv[2]), 1) / (0.75 * local) / 1e6)))
PYTHON
  )
  echo "$spec: a link of $rate Mbit/s"
  open_link "$rate"
  over_link "$work/slow.json" "$spec" "$format" "$block" "$rate" "$work/plain.json"
  cp "$work/slow.json" "$work/kept.json"
  records=("$work/kept.json")
done
cp "$work/kept.json" "$out"
echo "wrote $out"
