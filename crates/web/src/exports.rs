//! What the page calls. Lists and descriptions cross as JSON, samples as arrays of numbers.

use wasm_bindgen::prelude::*;

use crate::run::{Problem, Run};

/// A run; see [`Run`].
#[wasm_bindgen]
pub struct Simulated(Option<Run>);

fn thrown(problem: &Problem) -> JsValue {
    serde_json::to_string(problem).expect("texts are JSON").into()
}

fn ended() -> JsValue {
    thrown(&Problem { what: "the run has ended".into(), help: None, at: None, line: None })
}

#[wasm_bindgen]
impl Simulated {
    /// A run of that scenario. `files` is a JSON object of texts by name.
    ///
    /// # Errors
    /// The problem, as JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, files: &str, samples: Option<u32>) -> Result<Simulated, JsValue> {
        let files = serde_json::from_str(files).map_err(|error| {
            thrown(&Problem { what: format!("the files are no JSON object of texts: {error}"), help: None, at: None, line: None })
        })?;
        Run::new(text, &files, samples).map(|run| Simulated(Some(run))).map_err(|problem| thrown(&problem))
    }

    fn run(&mut self) -> Result<&mut Run, JsValue> {
        self.0.as_mut().ok_or_else(ended)
    }

    /// What is run, as JSON.
    ///
    /// # Errors
    /// The run has ended.
    pub fn description(&mut self) -> Result<String, JsValue> {
        Ok(self.run()?.description())
    }

    /// Simulates up to that time [s].
    ///
    /// # Errors
    /// The run has ended.
    pub fn advance(&mut self, until_s: f64) -> Result<(), JsValue> {
        self.run()?.advance(until_s);
        Ok(())
    }

    /// New samples of a flow.
    ///
    /// # Errors
    /// The run has ended.
    pub fn flow(&mut self, index: usize) -> Result<Vec<f64>, JsValue> {
        Ok(self.run()?.flow(index))
    }

    /// Names of a flow's columns, as JSON.
    ///
    /// # Errors
    /// The run has ended.
    pub fn flow_columns(&mut self, index: usize) -> Result<String, JsValue> {
        Ok(serde_json::to_string(&self.run()?.flow_columns(index)).expect("texts are JSON"))
    }

    /// New samples of a link.
    ///
    /// # Errors
    /// The run has ended.
    pub fn link(&mut self, index: usize) -> Result<Vec<f64>, JsValue> {
        Ok(self.run()?.link(index))
    }

    /// Whose packets are before the bottleneck, the oldest first.
    ///
    /// # Errors
    /// The run has ended.
    pub fn waiting(&mut self) -> Result<Vec<u32>, JsValue> {
        Ok(self.run()?.waiting())
    }

    /// Simulates the rest; the result as JSON. The run has ended then.
    ///
    /// # Errors
    /// It had ended before.
    pub fn finish(&mut self) -> Result<String, JsValue> {
        Ok(self.0.take().ok_or_else(ended)?.finish())
    }
}

/// All controllers, as JSON.
#[wasm_bindgen]
pub fn controllers() -> String {
    crate::controllers()
}

/// Words for the management of a queue, as JSON.
#[wasm_bindgen]
pub fn queues() -> String {
    crate::queues()
}
