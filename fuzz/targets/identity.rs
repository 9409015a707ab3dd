//! Identities, authorities and fingerprints are read or refused, and a text of others never steers a terminal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use symbiosis_quic::identity::{Fingerprint, Identity, Trust};
use symbiosis_quic::plain::{is_plain, plain};

fuzz_target!(|text: &str| {
    if let Ok(identity) = Identity::from_pem(text) {
        let shown = identity.fingerprint();
        assert_eq!(Fingerprint::parse(&shown.to_string()), Some(shown));
    }
    let _ = Trust::authorities(text);
    if let Some(read) = Fingerprint::parse(text) {
        assert_eq!(Fingerprint::parse(&read.to_string()), Some(read));
    }
    assert!(is_plain(&plain(text)));
});
