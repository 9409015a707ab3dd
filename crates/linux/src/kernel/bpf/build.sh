#!/bin/sh
# Builds symbiosis.bpf.o, which the library contains, so that who runs it needs no compiler. clang 14 and llvm-strip 14 (Debian 12) give
# the same bytes anywhere; a test compares them with the committed ones. `build.sh FILE` writes elsewhere.
set -eu
out=$(realpath "${1:-$(dirname "$0")/symbiosis.bpf.o}")
cd "$(dirname "$0")"
clang-14 -target bpf -mcpu=v3 -O2 -g -Wall -Werror "-fdebug-prefix-map=$PWD=." -c symbiosis.bpf.c -o "$out"
# DWARF goes, BTF stays: libbpf locates the kernel's fields by it.
llvm-strip-14 --strip-debug "$out"
