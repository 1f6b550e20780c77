# Shared by demo.sh and test.sh: installs the packages that are missing, configures a preset and builds it.
# Sourced, not run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Without these there is no build.
needed_packages=(g++ cmake ninja-build python3 libfmt-dev libcli11-dev nlohmann-json3-dev)
# Without one of these a feature is switched off, and CMake says which; without libopenblas direct solvers call the
# reference BLAS, which takes minutes where that takes seconds.
useful_packages=(ccache zlib1g-dev liblzma-dev libpng-dev libeigen3-dev libmetis-dev libsuitesparse-dev
  libopenblas0-openmp libtomlplusplus-dev libopenmpi-dev openmpi-bin)

say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*"; }
fail() {
  printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2
  exit 1
}

is_root() { [[ $EUID -eq 0 ]]; }

# A tool counts as installed however it came here; a library counts by its package.
is_installed() {
  case $1 in
    g++ | cmake | python3 | ccache) command -v "$1" >/dev/null 2>&1 ;;
    ninja-build) command -v ninja >/dev/null 2>&1 ;;
    *) [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]] ;;
  esac
}

# Prints the given packages that are not installed, in one line.
missing_of() {
  local package missing=()
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  printf '%s' "${missing[*]:-}"
}

# Runs apt-get as root; its output is shown only when it fails.
apt_get() {
  local log status=0 command=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o Acquire::http::Timeout=20 "$@")
  if ! is_root; then command=(sudo "${command[@]}"); fi
  log=$(mktemp)
  "${command[@]}" >"$log" 2>&1 || status=$?
  if [[ $status -ne 0 ]]; then
    say "apt-get $1 failed: $(grep -m 1 -E '^(E|Err)' "$log" || tail -n 1 "$log")" >&2
  fi
  rm -f "$log"
  return "$status"
}

# ensure_packages build|test: the needed packages are there afterwards, useful ones may be missing.
ensure_packages() {
  local package missing_needed missing_useful
  local needed=("${needed_packages[@]}")
  if [[ $1 == test ]]; then needed+=(libgtest-dev); fi
  missing_needed=$(missing_of "${needed[@]}")
  missing_useful=$(missing_of "${useful_packages[@]}")
  if [[ -z $missing_needed$missing_useful ]]; then return; fi

  local all
  read -r -a all <<<"$missing_needed $missing_useful"
  if ! command -v apt-get >/dev/null 2>&1; then
    say "this machine has no apt-get; not installed here: ${all[*]}. Going on with what there is."
    return
  fi
  if ! is_root && ! command -v sudo >/dev/null 2>&1; then
    if [[ -n $missing_needed ]]; then
      fail "these packages are missing and only root can install them (there is no sudo): $missing_needed"
    fi
    say "going on without these packages (there is no sudo to install them): $missing_useful"
    return
  fi

  say "installing ${all[*]}"
  apt_get update || true
  if ! apt_get install --no-install-recommends "${all[@]}"; then
    for package in "${all[@]}"; do apt_get install --no-install-recommends "$package" || true; done
  fi
  missing_needed=$(missing_of "${needed[@]}")
  if [[ -n $missing_needed ]]; then fail "these packages are needed and could not be installed: $missing_needed"; fi
  missing_useful=$(missing_of "${useful_packages[@]}")
  if [[ -n $missing_useful ]]; then say "going on without: $missing_useful"; fi
}

has_gpu() {
  command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L >/dev/null 2>&1 &&
    { command -v nvcc >/dev/null 2>&1 || [[ -x /usr/local/cuda/bin/nvcc ]]; }
}

# configure PRESET [ARGUMENT...]: quiet when all goes well but for the messages of Millrace itself.
configure() {
  local preset=$1 log status=0
  shift
  log=$(mktemp)
  (cd "$root" && cmake --preset "$preset" "$@") >"$log" 2>&1 || status=$?
  if [[ $status -ne 0 ]]; then
    cat "$log" >&2
    rm -f "$log"
    fail "cmake could not configure the preset '$preset'; its messages are above"
  fi
  grep -E '^-- Millrace' "$log" || true
  rm -f "$log"
}

# build FOLDER [ARGUMENT...]: on all cores.
build() {
  local folder=$1
  shift
  cmake --build "$folder" -j "$(nproc)" "$@" || fail "the build in $folder failed; its messages are above"
}
