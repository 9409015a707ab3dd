//! Several hostile clients at once, beside an honest one: what it costs the server, and the other. And a machine that is hostile itself.

mod hostile {
    pub mod attackers;
    pub mod beside;
    mod folder;
    pub mod frames;
    mod machine;
    mod memory;
    mod places;
    mod read;
    pub mod rewriting;
    mod said;
    pub mod server;
    mod work;
}
