#!/usr/bin/env bash
# Looks at a matrix, times every format on this machine and shows the winner; then solves an equation and draws it.
set -euo pipefail
# shellcheck source=scripts/bootstrap.sh
source "$(dirname "${BASH_SOURCE[0]}")/scripts/bootstrap.sh"

usage() {
  cat <<'TEXT'
usage: demo.sh [A.mtx]

Installs what is missing (Debian: apt-get, as root or through sudo), builds Millrace and then
inspects the given matrix (.mtx, .mtx.gz, .mtx.xz, .mrx) and times every sparse format on it.
Without a matrix it generates one from physics: a Holstein-Hubbard ring with 9 phonon quanta.
Last it solves a partial differential equation, heat through a wall of two materials, and draws it
into build/demo/.
A second run reuses the build and needs no network.
TEXT
}

matrix=
for argument in "$@"; do
  case $argument in
    -h | --help)
      usage
      exit 0
      ;;
    -*) fail "unknown option '$argument'; there is only --help" ;;
    *)
      if [[ -n $matrix ]]; then fail "one matrix at a time: '$matrix' and '$argument' were given"; fi
      matrix=$argument
      ;;
  esac
done
if [[ -n $matrix ]]; then
  if [[ ! -r $matrix ]]; then fail "cannot read the file '$matrix'"; fi
  matrix=$(cd "$(dirname "$matrix")" && pwd)/$(basename "$matrix")
fi

ensure_packages build
preset=cpu
options=(-DMILLRACE_HDG=OFF -DMILLRACE_TESTS=OFF -DMILLRACE_BENCHMARKS=OFF)  # what is not shown is not built
if has_gpu; then
  preset=cuda
  options+=(-DCMAKE_CUDA_ARCHITECTURES=native)
fi
folder=$root/build/demo/$preset  # of its own: other builds of this checkout have everything
configure "$preset" -B "$folder" "${options[@]}"
build "$folder" --target millrace_command
millrace=$folder/bin/millrace

if [[ -z $matrix ]]; then
  matrix=$root/build/demo/holstein-hubbard-9.mrx
  if [[ ! -s $matrix ]]; then
    "$millrace" gen holstein-hubbard:quanta=9 -o "$matrix"
  fi
fi

run() {
  printf '\n$ millrace %s\n' "$*"
  "$millrace" "$@"
}
run inspect "$matrix"
run bench "$matrix"
cd "$root/build/demo"  # where the case writes its picture
run pde "$root/examples/pde/wall.toml"
printf '\nThe picture is in %s.\n' "$root/build/demo"
