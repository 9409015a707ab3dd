//! The end of a copy: what is not at the sender's is removed if that was asked for, and folders get their permissions and times.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use super::Receiver;
use crate::message::{Answer, Settled};
use crate::name::shown;
use crate::removal::remove_others;

impl Receiver {
    /// Everything arrived.
    pub(super) fn finish(&mut self) {
        self.tell_settled();
        if self.options.delete && self.listed == Some(true) {
            self.remove_others();
        } else if self.options.delete {
            self.fails(false, "nothing is removed, because not everything could be read");
            self.settled = Settled::default();
        }
        if !self.options.dry_run {
            // What is in a folder first: a folder without write permission is closed last.
            for (name, mode, mtime) in std::mem::take(&mut self.folders).into_iter().rev() {
                if let Err(error) = self.place.settle_folder(&name, mode, mtime) {
                    self.fails(false, &format!("{}: {error}", shown(name.as_os_str().as_bytes())));
                    self.settled = Settled::default();
                }
            }
        }
        self.answers.push_back(Answer::Finished);
        self.tally.update(|progress| progress.finished = true);
        self.finished = true;
    }

    fn remove_others(&mut self) {
        let (mut removed, mut faults) = (Vec::<OsString>::new(), Vec::new());
        for (name, ..) in &self.folders {
            let Ok(dir) = self.place.folder(name) else { continue };
            let with = (&self.seen, &self.filter, self.options.dry_run);
            if let Err(error) = remove_others(&dir, name, with, &mut |path| removed.push(path.into())) {
                faults.push(format!("{}: {error}", shown(name.as_os_str().as_bytes())));
            }
        }
        for why in faults {
            self.fails(false, &why);
            self.settled = Settled::default();
        }
        for path in removed {
            if self.options.dry_run || self.options.verbose {
                self.tally.tell(if self.options.dry_run { "would remove " } else { "removed " }, path.as_bytes());
            }
            self.tally.update(|progress| progress.removed += 1);
            self.answers.push_back(Answer::Removed(path.as_bytes().to_vec()));
        }
    }
}
