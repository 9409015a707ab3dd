//! Symbiosis in the settings that are put beside CUBIC.

/// What theory takes a flow to know, and so where it rests in a queue.
#[derive(Clone, Copy)]
pub enum Rest {
    /// K, and A = K.
    All,
    /// K and the true A.
    Truth,
    /// Its own rate, under the logarithmic law.
    Logarithm,
}

/// Symbiosis in one of its settings.
pub struct Setting {
    /// In figures and claims.
    pub name: &'static str,
    /// Its controller.
    pub cc: &'static str,
    /// Its parameters as TOML.
    pub params: &'static str,
    /// Where theory has it rest.
    pub rest: Rest,
    /// Why theory may miss it.
    pub why: &'static str,
}

const STILL: &str = "theory has the window at rest at every instant of CUBIC's cycle, and S Eq 9 is too slow for that where little is free";
const BOTH: &str =
    "theory has CUBIC lose alone, but in a buffer of a few packets a cluster of Symbiosis' takes the last places: both lose in most starts";
const FLOOR: &str = "theory has the window at rest at every instant; when the queue is shortest it would rise, but a round trip and ε are too slow for that";

/// Every setting that is compared.
pub const SETTINGS: [Setting; 7] = [
    Setting { name: "symbiosis-paper, A = K", cc: "symbiosis-paper", params: "measurement = \"capacity\"", rest: Rest::All, why: BOTH },
    Setting {
        name: "symbiosis-paper (oracle)",
        cc: "symbiosis-paper",
        params: "measurement = \"oracle\"",
        rest: Rest::Truth,
        why: "an unpaced window returns as a cluster, and what it is told then is of the time before, when the others alone were sending: less than it has. \
              Paced, the same law is where theory says",
    },
    Setting {
        name: "symbiosis-paper",
        cc: "symbiosis-paper",
        params: "measurement = \"imtcp-published\"",
        rest: Rest::All,
        why: "the published measurement reads more than is free, but not always all of K; and in a short buffer its streams make both lose",
    },
    Setting {
        name: "the papers' law, paced (oracle)",
        cc: "symbiosis",
        params: "measurement = \"oracle\", law = \"lotka-volterra\", correction = false, probe_rtt_interval_s = 0, slow_start_target = 0, loss_floor = false",
        rest: Rest::Truth,
        why: STILL,
    },
    Setting {
        name: "symbiosis, A = K",
        cc: "symbiosis",
        params: "measurement = \"capacity\", compete = false",
        rest: Rest::Logarithm,
        why: FLOOR,
    },
    Setting {
        name: "symbiosis (oracle)",
        cc: "symbiosis",
        params: "measurement = \"oracle\", compete = false",
        rest: Rest::Logarithm,
        why: FLOOR,
    },
    Setting { name: "symbiosis", cc: "symbiosis", params: "measurement = \"imtcp\", compete = false", rest: Rest::Logarithm, why: FLOOR },
];

impl Setting {
    /// Its name without what a file's name should not have.
    pub fn slug(&self) -> String {
        self.name.replace(&[' ', ',', '(', ')', '\'', '='][..], "-")
    }
}
