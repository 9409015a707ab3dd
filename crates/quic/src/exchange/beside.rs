//! An end in a thread of its own.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::end::{End, Frame, Polled, Step, Work};

/// What may lie ready, and what may wait to be used \[bytes\]: each what a disk of 200 MB/s does in 20 ms, in which a thread that was put aside is back.
const QUEUE: usize = 4 << 20;

/// An end in a thread of its own.
pub struct Beside {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    came: Queue,
    ready: Queue,
    stage: Stage,
    closed: bool,
}

#[derive(Default)]
struct Queue {
    frames: VecDeque<Frame>,
    bytes: usize,
}

#[derive(Default)]
enum Stage {
    #[default]
    AtWork,
    Waits,
    Over,
    Failed(String),
}

impl Queue {
    fn has_room(&self) -> bool {
        self.bytes < QUEUE
    }

    fn push(&mut self, frame: Frame) {
        self.bytes += frame.bytes();
        self.frames.push_back(frame);
    }

    fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop_front()?;
        self.bytes -= frame.bytes();
        Some(frame)
    }
}

/// Says so when the thread is gone without a word: it would be waited for.
struct Gone(Arc<Shared>);

impl Drop for Gone {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().stage = Stage::Failed("this is a fault of symbiosis: the thread that copies panicked".into());
        }
    }
}

impl Beside {
    /// Begins.
    ///
    /// # Errors
    /// The system has no thread.
    pub fn new(end: Box<dyn End>) -> io::Result<Beside> {
        let shared = Arc::<Shared>::default();
        let there = shared.clone();
        let thread = thread::Builder::new().name("copies".into()).spawn(move || {
            let gone = Gone(there);
            gone.0.work(end);
        })?;
        Ok(Beside { shared, thread: Some(thread) })
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, mut end: Box<dyn End>) {
        loop {
            let mut state = self.lock();
            let frame = loop {
                if let Some(frame) = state.came.pop() {
                    state.stage = Stage::AtWork;
                    break Some(frame);
                }
                if state.closed {
                    return;
                }
                if matches!(state.stage, Stage::AtWork) && state.ready.has_room() {
                    break None;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            drop(state);
            let done = match frame {
                Some(frame) => end.take(frame).map(|()| None),
                None => end.next().map(Some),
            };
            let mut state = self.lock();
            match done {
                Ok(None) => {}
                Ok(Some(Step::Say(frame))) => state.ready.push(frame),
                Ok(Some(Step::Wait)) => state.stage = Stage::Waits,
                Ok(Some(Step::Over)) => state.stage = Stage::Over,
                Err(why) => {
                    state.stage = Stage::Failed(why);
                    return;
                }
            }
        }
    }
}

impl Work for Beside {
    fn has_room(&self) -> bool {
        self.shared.lock().came.has_room()
    }

    fn feed(&mut self, frame: Frame) {
        self.shared.lock().came.push(frame);
        self.shared.changed.notify_one();
    }

    fn poll(&mut self) -> Polled {
        let mut state = self.shared.lock();
        if let Some(frame) = state.ready.pop() {
            self.shared.changed.notify_one();
            return Polled::Say(frame);
        }
        let has_more = !state.came.frames.is_empty();
        match &mut state.stage {
            Stage::Failed(why) => Polled::Failed(std::mem::take(why)),
            _ if has_more => Polled::Soon,
            Stage::AtWork => Polled::Soon,
            Stage::Waits => Polled::Wait,
            Stage::Over => Polled::Over,
        }
    }

    fn close(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // Its panic is its own end; what it was at stays as it is.
            let _ = thread.join();
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    struct Panics;

    impl End for Panics {
        fn take(&mut self, _: Frame) -> Result<(), String> {
            Ok(())
        }

        fn next(&mut self) -> Result<Step, String> {
            panic!("on purpose")
        }
    }

    #[test]
    fn nobody_waits_for_a_thread_that_is_gone() {
        let mut beside = Beside::new(Box::new(Panics)).unwrap();
        let since = Instant::now();
        while !matches!(beside.poll(), Polled::Failed(_)) {
            assert!(since.elapsed() < Duration::from_secs(10));
            thread::sleep(Duration::from_millis(1));
        }
    }
}
