#!/usr/bin/env bash
# Copies the header-only dependencies, GoogleTest's sources and, where they are here, SuiteSparse's direct solvers with
# all libraries under them (of BLAS and LAPACK the reference ones), from this machine's packages into .stage/, so that a
# machine without a network and without these packages can build. CMake looks there; gpu_run.sh lets programs find
# .stage/lib-ARCHITECTURE.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
stage=$root/.stage
lib=lib-$(uname -m)  # of no use to another architecture
limit_mb=30

fail() {
  printf 'stage_offline: %s\n' "$*" >&2
  exit 1
}
# need FILE PACKAGE
need() { [[ -e $1 ]] || fail "$1 is not here; install the package $2 (demo.sh and test.sh do)"; }

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  echo "usage: stage_offline.sh [MATRIX...]    fills .stage/; the matrices go to .stage/matrices/"
  exit 0
fi
need /usr/include/fmt/format.h libfmt-dev
need /usr/include/CLI/CLI.hpp libcli11-dev
need /usr/include/nlohmann/json.hpp nlohmann-json3-dev
need /usr/include/eigen3/Eigen/Core libeigen3-dev
need /usr/src/googletest/CMakeLists.txt libgtest-dev
for matrix in "$@"; do need "$matrix" "or name a matrix file"; done

fresh=$(mktemp -d "$root/.stage-XXXXXX")
trap 'rm -rf "$fresh"' EXIT
mkdir -p "$fresh/include/eigen3/Eigen/src" "$fresh/matrices"
cp -r /usr/include/fmt /usr/include/CLI /usr/include/nlohmann "$fresh/include/"

if [[ -d /usr/include/toml++ ]]; then cp -r /usr/include/toml++ "$fresh/include/"; fi

# Of Eigen: what Core, Dense, Sparse and Eigenvalues include.
for module in Cholesky Core Dense Eigenvalues Geometry Householder IterativeLinearSolvers Jacobi LU OrderingMethods QR \
  SVD Sparse SparseCholesky SparseCore SparseLU SparseQR; do
  cp "/usr/include/eigen3/Eigen/$module" "$fresh/include/eigen3/Eigen/"
  [[ ! -d /usr/include/eigen3/Eigen/src/$module ]] ||
    cp -r "/usr/include/eigen3/Eigen/src/$module" "$fresh/include/eigen3/Eigen/src/"
done
cp -r /usr/include/eigen3/Eigen/src/{misc,plugins} "$fresh/include/eigen3/Eigen/src/"

# Of shared libraries: under the name for the linker and under that for programs.
if [[ -d /usr/include/suitesparse ]]; then
  mkdir -p "$fresh/include/suitesparse" "$fresh/$lib"
  cp /usr/include/suitesparse/{SuiteSparse_config,amd,btf,camd,ccolamd,colamd,cholmod*,klu,umfpack*}.h \
    "$fresh/include/suitesparse/"
  direct=(/usr/lib/*/lib{amd,cholmod,klu,umfpack}.so)
  under=$(ldd "${direct[@]}" | awk '$3 ~ /^\// && $3 !~ /lib(c|m|gcc_s|gomp|openblas)\.so/ { print $3 }' | sort -u)
  for library in "${direct[@]}" $under; do
    case ${library##*/} in  # the small reference ones, whatever this machine uses: OpenBLAS is larger than the limit
      libblas.so.3) library=$(echo /usr/lib/*/blas/libblas.so.3) && need "$library" libblas3 ;;
      liblapack.so.3) library=$(echo /usr/lib/*/lapack/liblapack.so.3) && need "$library" liblapack3 ;;
    esac
    cp -L "$library" "$fresh/$lib/"
    [[ $library != *.so ]] ||
      cp -L "$library" "$fresh/$lib/$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')"
  done
fi

cp -r /usr/src/googletest "$fresh/googletest"
rm -rf "$fresh"/googletest/{googletest,googlemock}/{test,samples,docs}
if [[ -d $stage/matrices ]]; then cp -r "$stage/matrices/." "$fresh/matrices/"; fi
for matrix in "$@"; do cp "$matrix" "$fresh/matrices/"; done

# Which source travels: the commit, and whether src or apps differ from it.
if git -C "$root" rev-parse HEAD >"$fresh/commit" 2>/dev/null; then
  if [[ -n $(git -C "$root" status --porcelain -- src apps) ]]; then echo true; else echo false; fi >>"$fresh/commit"
else
  rm -f "$fresh/commit"
fi

chmod 755 "$fresh"
rm -rf "$stage"
mv "$fresh" "$stage"
trap - EXIT
parts=("$stage/include" "$stage/googletest")
if [[ -d $stage/$lib ]]; then parts+=("$stage/$lib"); fi
bytes=$(du -sc --bytes "${parts[@]}" | tail -n 1 | cut -f 1)
printf '.stage: %s files of dependencies, %s MB; matrices: %s\n' \
  "$(find "${parts[@]}" -type f | wc -l)" \
  "$((bytes / 1000000))" "$(du -sh "$stage/matrices" | cut -f 1)"
if ((bytes > limit_mb * 1000000)); then fail "the dependencies in .stage are larger than $limit_mb MB"; fi
