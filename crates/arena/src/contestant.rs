//! Who is tried.

use toml::Table;

/// A controller under test, with parameters if it is not to have its defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Contestant {
    /// Name on the scoreboard: the controller's, with the parameters behind it.
    pub name: String,
    /// Name of the controller.
    pub cc: String,
    /// Its parameters.
    pub params: Option<Table>,
}

impl Contestant {
    /// From `NAME`, or `NAME{key=value,…}` with parameters in the words of a scenario.
    ///
    /// # Errors
    /// What stands in the braces is no table of TOML; the message says where.
    pub fn parse(text: &str) -> Result<Contestant, String> {
        let (cc, params) = match text.find('{') {
            None => (text, None),
            Some(at) => {
                let document: Table = toml::from_str(&format!("params = {}", &text[at..])).map_err(|error| error.message().to_owned())?;
                let params = document.get("params").and_then(|params| params.as_table().cloned());
                (&text[..at], params)
            }
        };
        Ok(Contestant { name: text.into(), cc: cc.trim().into(), params })
    }

    /// The controller with its defaults.
    pub fn named(cc: &str) -> Contestant {
        Contestant { name: cc.into(), cc: cc.into(), params: None }
    }
}
