use std::thread;

use super::*;
use crate::privileged::{Need, ready};

/// Becomes another user for as long as the calling thread lives. The others stay who they are: this is the system call and not the C
/// library's function, which changes all threads.
fn become_nobody() {
    const NOBODY: nix::libc::c_long = 65_534;
    // SAFETY: plain numbers; the kernel changes the calling thread alone.
    let done = unsafe { nix::libc::syscall(nix::libc::SYS_setresuid, NOBODY, NOBODY, NOBODY) };
    assert_eq!(done, 0);
}

#[test]
fn only_its_own_user_and_root_may_ask_an_agent() {
    if !ready("only_its_own_user_and_root_may_ask_an_agent", &[Need::Root]) {
        return;
    }
    // Open to all, as no agent's is: the credentials are what is tested.
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let place = folder.path().join("control");
    let listener = UnixListener::bind(&place).unwrap();
    fs::set_permissions(&place, Permissions::from_mode(0o666)).unwrap();
    let asks = |prepare: fn()| {
        let connected = thread::scope(|scope| {
            let place = &place;
            let asking = move || {
                prepare();
                let mut stream = UnixStream::connect(place).unwrap();
                stream.write_all(b"\"Stop\"\n").unwrap();
                stream
            };
            scope.spawn(asking).join().unwrap()
        });
        let (tell, told) = mpsc::channel();
        listen(listener.accept().unwrap().0, &tell).unwrap();
        drop(connected);
        matches!(told.try_recv(), Ok(Event::Asked(Request::Stop, _)))
    };
    assert!(asks(|| ()));
    assert!(!asks(become_nobody));
}
