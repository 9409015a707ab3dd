//! What an end of an exchange is.

use std::collections::VecDeque;

/// Longest head of a frame \[bytes\]: two of Linux' longest paths (`PATH_MAX`, 4096), a file's and where a link leads, and what belongs to them.
pub const HEAD: usize = 16 << 10;
/// Longest body of a frame \[bytes\]: a group of a file, which is what a break may cost.
pub const BODY: usize = 1 << 20;

/// A message, and bytes with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The message, at most [`HEAD`] bytes; none without any.
    pub head: Vec<u8>,
    /// The bytes, at most [`BODY`].
    pub body: Vec<u8>,
}

impl Frame {
    /// What it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.head.len() + self.body.len() + size_of::<Frame>()
    }
}

/// What an end wants to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// To say this.
    Say(Frame),
    /// To hear something first.
    Wait,
    /// Nothing any more.
    Over,
}

/// One side of an exchange. It may take its time: see [`super::Beside`].
pub trait End: Send {
    /// The peer says this.
    ///
    /// # Errors
    /// It makes no sense, or nothing can be made of it: the exchange ends with these words.
    fn take(&mut self, frame: Frame) -> Result<(), String>;

    /// What to say next. Asked again until it is [`Step::Wait`], and then when something was taken.
    ///
    /// # Errors
    /// The exchange ends with these words.
    fn next(&mut self) -> Result<Step, String>;
}

/// An end as its connection sees it.
pub trait Work: Send {
    /// Whether it takes another frame now.
    fn has_room(&self) -> bool;

    /// A frame has come.
    fn feed(&mut self, frame: Frame);

    /// What it has to say by now.
    fn poll(&mut self) -> Polled;

    /// Nothing else will come: what came is made use of, and then it is done.
    fn close(&mut self);
}

/// What an end has to say by now.
#[derive(Debug, PartialEq, Eq)]
pub enum Polled {
    /// This.
    Say(Frame),
    /// Nothing before it hears something.
    Wait,
    /// Nothing yet: it is at work.
    Soon,
    /// Nothing any more.
    Over,
    /// It gives up.
    Failed(String),
}

/// An end that works whenever it is asked.
pub struct Inline {
    end: Box<dyn End>,
    came: VecDeque<Frame>,
}

impl Inline {
    /// Of this end.
    pub fn new(end: Box<dyn End>) -> Inline {
        Inline { end, came: VecDeque::new() }
    }

    fn work(&mut self) -> Result<Step, String> {
        while let Some(frame) = self.came.pop_front() {
            self.end.take(frame)?;
        }
        self.end.next()
    }
}

impl Work for Inline {
    fn has_room(&self) -> bool {
        self.came.is_empty()
    }

    fn feed(&mut self, frame: Frame) {
        self.came.push_back(frame);
    }

    fn poll(&mut self) -> Polled {
        match self.work() {
            Ok(Step::Say(frame)) => Polled::Say(frame),
            Ok(Step::Wait) => Polled::Wait,
            Ok(Step::Over) => Polled::Over,
            Err(why) => Polled::Failed(why),
        }
    }

    fn close(&mut self) {
        while let Some(frame) = self.came.pop_front() {
            let _ = self.end.take(frame);
        }
    }
}
