//! `symbiosis-bindgen IN.wasm OUT`: the WebAssembly as pages load it, with its JavaScript, in the folder OUT.

use std::env;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [input, out] = arguments.as_slice() else {
        eprintln!("symbiosis-bindgen IN.wasm OUT");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen.input_path(input).typescript(true).web(true).and_then(|bindgen| bindgen.remove_name_section(true).generate(out));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}
