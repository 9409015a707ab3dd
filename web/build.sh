#!/usr/bin/env bash
# Builds the simulator as WebAssembly and the page around it into the assets of symbiosis-playground. With --check it says instead whether
# the assets are those that these sources give. Needs node, the target wasm32-unknown-unknown, and wasm-bindgen of the version in Cargo.lock.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd .. && pwd)
assets=$root/crates/playground/assets
version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' "$root/Cargo.lock")
tool=$(command -v wasm-bindgen || echo "$root/target/wasm-bindgen/bin/wasm-bindgen")
[ "$("$tool" --version 2>/dev/null)" = "wasm-bindgen $version" ] ||
    { cargo install --quiet wasm-bindgen-cli --version "$version" --root "$root/target/wasm-bindgen"; tool=$root/target/wasm-bindgen/bin/wasm-bindgen; }

# Paths of this machine do not belong into what is shipped.
export RUSTFLAGS="--remap-path-prefix=$root=/symbiosis --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$(rustc --print sysroot)=/rust"
(cd "$root" && cargo build --quiet --release --target wasm32-unknown-unknown -p symbiosis-web)
"$tool" --target web --out-dir generated --remove-name-section "$root/target/wasm32-unknown-unknown/release/symbiosis_web.wasm"
npm ci --silent --no-audit --no-fund
if [ "${1:-}" = --check ]; then
    node build.mjs ../target/playground
    rustc --version > ../target/playground/BUILT_WITH.txt
    if ! diff -q ../target/playground/BUILT_WITH.txt "$assets/BUILT_WITH.txt"; then
        echo "SKIPPED: the assets were built with $(cat "$assets/BUILT_WITH.txt"); another compiler gives other bytes"
    else
        diff -rq ../target/playground "$assets" || { echo "the assets are not what these sources give: run web/build.sh"; exit 1; }
    fi
else
    node build.mjs "$assets"
    rustc --version > "$assets/BUILT_WITH.txt"
    ls -l generated/*.wasm "$assets"
fi
