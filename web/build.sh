#!/usr/bin/env bash
# Builds the simulator as WebAssembly and the front ends into the assets of symbiosis-playground and symbiosis-report. With --check it says
# instead whether the assets are those that these sources give. Needs node, and a compiler for wasm32-unknown-unknown: rustup's, or Debian's
# (apt-get install rustc-web rust-web-src lld).
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd .. && pwd)
playground=$root/crates/playground/assets
report=$root/crates/report/assets
checked=$root/target/front-ends
[ "${1:-}" = --check ] && check=1 || check=

# The compiler: another one gives other bytes, so a check wants the one with which the assets were built.
built_with=$(cat "$playground/BUILT_WITH.txt")
version=$(cut -d' ' -f2 <<<"$built_with")
compiler() {
    if [ -n "$check" ] && [ "$(rustc --version)" != "$built_with" ] && command -v rustup >/dev/null && rustup toolchain install "$version" --profile minimal; then
        export RUSTUP_TOOLCHAIN=$version
    fi
    if command -v rustup >/dev/null && rustup target add wasm32-unknown-unknown; then return; fi
    [ -x /usr/bin/rustc ] && [ -d "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library" ] && command -v wasm-ld >/dev/null || return 1
    # Debian's, with its source of the standard library.
    export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
    build_std=(-Zbuild-std=std,panic_abort)
}
build_std=()
simulator() {
    local sysroot bindgen=$root/target/bindgen version
    sysroot=$("${RUSTC:-rustc}" --print sysroot)
    version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' "$root/Cargo.lock")
    grep -q "^wasm-bindgen-cli-support = \"=$version\"" bindgen/Cargo.toml ||
        { echo "Cargo.lock has wasm-bindgen $version: so must web/bindgen/Cargo.toml have wasm-bindgen-cli-support"; return 1; }
    (unset RUSTC RUSTC_BOOTSTRAP && cd bindgen && cargo build --quiet --release --locked --target-dir "$bindgen")
    # Paths of this machine do not belong into what is shipped.
    export RUSTFLAGS="--remap-path-prefix=$root=/symbiosis --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$sysroot=/rust"
    (cd "$root" && cargo build --quiet --release --locked --target wasm32-unknown-unknown "${build_std[@]}" -p symbiosis-web)
    "$bindgen/release/symbiosis-bindgen" "$root/target/wasm32-unknown-unknown/release/symbiosis_web.wasm" generated
}
same() {
    diff -rq "$checked/$1" "$2" || { echo "the assets of the $1 in $2 are not what these sources give: run web/build.sh, and commit what it changes"; exit 1; }
}

npm ci --silent --no-audit --no-fund
if [ -z "$check" ]; then
    compiler || { echo "there is no compiler for wasm32-unknown-unknown: rustup target add wasm32-unknown-unknown, or apt-get install rustc-web rust-web-src lld"; exit 1; }
    simulator
    node build.mjs playground "$playground"
    node build.mjs report "$report"
    "${RUSTC:-rustc}" --version > "$playground/BUILT_WITH.txt"
    ls -l generated/*.wasm "$playground" "$report"
else
    rm -rf "$checked"
    node build.mjs report "$checked/report"
    cp "$report/README.md" "$checked/report"
    same report "$report"
    if compiler && [ "$("${RUSTC:-rustc}" --version)" = "$built_with" ]; then
        simulator
        node build.mjs playground "$checked/playground"
        cp "$playground/BUILT_WITH.txt" "$checked/playground"
        same playground "$playground"
    else
        # That it gives the results of the sources, is tested all the same.
        echo "SKIPPED: the bytes of the playground, which $built_with gives (rustup toolchain install $version --target wasm32-unknown-unknown)"
    fi
fi
