#!/usr/bin/env bash
# Builds the simulator as WebAssembly and the front ends into the assets of symbiosis-playground and symbiosis-report. With --check it says
# instead whether the assets are those that these sources give. Needs node, the target wasm32-unknown-unknown, and wasm-bindgen of the version in Cargo.lock.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd .. && pwd)
playground=$root/crates/playground/assets
report=$root/crates/report/assets
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
    check=$root/target/front-ends
    rm -rf "$check"
    node build.mjs "$check/playground" "$check/report"
    cp "$report/README.md" "$check/report"
    diff -rq "$check/report" "$report" || { echo "the report's assets are not what these sources give: run web/build.sh"; exit 1; }
    rustc --version > "$check/playground/BUILT_WITH.txt"
    if ! diff -q "$check/playground/BUILT_WITH.txt" "$playground/BUILT_WITH.txt"; then
        echo "SKIPPED: the playground was built with $(cat "$playground/BUILT_WITH.txt"); another compiler gives other bytes"
    else
        diff -rq "$check/playground" "$playground" || { echo "the playground is not what these sources give: run web/build.sh"; exit 1; }
    fi
else
    node build.mjs "$playground" "$report"
    rustc --version > "$playground/BUILT_WITH.txt"
    ls -l generated/*.wasm "$playground" "$report"
fi
