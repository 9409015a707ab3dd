//! A stream with messages in it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use noq_proto::{Connection, FinishError, ReadError, StreamId, VarInt, WriteError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::broken::Broken;
use super::pool::Account;

/// Longest message \[bytes\]: twice Linux' longest path (`PATH_MAX`, 4096), for a name in JSON, and with room for a hash beside it.
const LONGEST: usize = 8192;

/// One stream, with what was read of it and not yet used, and what is to be written.
///
/// noq is asked for bytes in any order, and they are put in order here: in order it gives up a connection with more than 1024 gaps
/// (its `assembler.rs`), and a window of 2000 packets of which a full queue lets every second pass has as many.
#[derive(Debug)]
pub(crate) struct Pipe {
    id: StreamId,
    /// Begun to be read as messages.
    read: BytesMut,
    unsent: BytesMut,
    /// What comes next, in order.
    ready: VecDeque<Bytes>,
    /// What came beyond a gap, by its offset in the stream.
    ahead: BTreeMap<u64, Bytes>,
    account: Arc<Account>,
    /// Everything below was used, or is ready.
    next: u64,
    /// Everything came.
    ended: bool,
}

/// What came of reading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// Bytes.
    Bytes(Bytes),
    /// Nothing yet.
    Blocked,
    /// The stream ended.
    End,
}

impl Pipe {
    pub(crate) fn new(id: StreamId, account: &Arc<Account>) -> Pipe {
        Pipe {
            id,
            read: BytesMut::new(),
            unsent: BytesMut::new(),
            ready: VecDeque::new(),
            ahead: BTreeMap::new(),
            account: account.clone(),
            next: 0,
            ended: false,
        }
    }

    /// The next bytes, at most so many.
    pub(crate) fn bytes(&mut self, connection: &mut Connection, most: usize) -> Result<Read, Broken> {
        if !self.read.is_empty() {
            let some = self.read.len().min(most);
            return Ok(Read::Bytes(self.read.split_to(some).freeze()));
        }
        if self.ready.is_empty() {
            self.collect(connection)?;
        }
        let Some(mut bytes) = self.ready.pop_front() else { return Ok(if self.ended { Read::End } else { Read::Blocked }) };
        self.account.waited(bytes.len());
        if bytes.len() > most {
            let rest = bytes.split_off(most);
            self.account.waits(rest.len());
            self.ready.push_front(rest);
        }
        self.account.uses(bytes.len());
        Ok(Read::Bytes(bytes))
    }

    /// Takes what came. Also whoever makes no use of it yet calls this after each datagram: noq gives up a connection with more than 1024 gaps
    /// among what it keeps.
    pub(crate) fn collect(&mut self, connection: &mut Connection) -> Result<(), Broken> {
        if self.ended {
            return Ok(());
        }
        let mut stream = connection.recv_stream(self.id);
        let Ok(mut chunks) = stream.read(false) else { return Err(Broken("the stream is closed".into())) };
        let end = loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => {
                    self.account.waits(chunk.bytes.len());
                    if chunk.offset == self.next {
                        self.next += chunk.bytes.len() as u64;
                        self.ready.push_back(chunk.bytes);
                    } else {
                        // What has to wait is copied: the datagram that it came in would stay with it.
                        self.ahead.insert(chunk.offset, Bytes::copy_from_slice(&chunk.bytes));
                    }
                }
                Ok(None) => {
                    self.ended = true;
                    break Ok(());
                }
                Err(ReadError::Blocked) => break Ok(()),
                Err(ReadError::Reset(_)) => break Err(Broken("the peer gave up".into())),
            }
        };
        // Whether flow control must be told is noticed by whoever looks for packets to send next.
        let _ = chunks.finalize();
        while let Some(first) = self.ahead.first_entry().filter(|first| *first.key() == self.next) {
            let bytes = first.remove();
            self.next += bytes.len() as u64;
            self.ready.push_back(bytes);
        }
        end
    }

    /// Where the gap begins behind which bytes wait, if there is one.
    pub(crate) fn gap(&self) -> Option<u64> {
        (!self.ahead.is_empty()).then_some(self.next)
    }

    /// The next message, if it is there.
    pub(crate) fn message<T: DeserializeOwned>(&mut self, connection: &mut Connection) -> Result<Option<T>, Broken> {
        loop {
            if let Some((message, length)) = parse(&self.read)? {
                let _ = self.read.split_to(length);
                return Ok(Some(message));
            }
            let mut read = std::mem::take(&mut self.read);
            let more = self.bytes(connection, LONGEST);
            self.read = read.split_off(0);
            match more? {
                Read::Bytes(bytes) => self.read.extend_from_slice(&bytes),
                Read::Blocked => return Ok(None),
                Read::End => return Err(Broken("the peer ended the stream where a message should be".into())),
            }
        }
    }

    /// Writes a message, now or when there is room.
    pub(crate) fn say(&mut self, message: &impl Serialize) {
        let json = serde_json::to_vec(message).expect("names, numbers and texts are JSON");
        self.unsent.extend_from_slice(&(json.len() as u16).to_be_bytes());
        self.unsent.extend_from_slice(&json);
    }

    /// Writes bytes that are no message, now or when there is room.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        self.unsent.extend_from_slice(bytes);
    }

    /// Writes what is unsent. Whether all is.
    pub(crate) fn flush(&mut self, connection: &mut Connection) -> Result<bool, Broken> {
        while !self.unsent.is_empty() {
            let written = self.write(connection, &self.unsent)?;
            if written == 0 {
                return Ok(false);
            }
            let _ = self.unsent.split_to(written);
        }
        Ok(true)
    }

    /// Writes bytes; how many found room.
    pub(crate) fn write(&self, connection: &mut Connection, bytes: &[u8]) -> Result<usize, Broken> {
        match connection.send_stream(self.id).write(bytes) {
            Ok(written) => Ok(written),
            Err(WriteError::Blocked) => Ok(0),
            Err(_) => Err(Broken("the peer wants no more".into())),
        }
    }

    /// Writes bytes without a copy of them, and takes off what found room; how many did.
    pub(crate) fn pass(&self, connection: &mut Connection, bytes: &mut Bytes) -> Result<usize, Broken> {
        match connection.send_stream(self.id).write_chunks(&mut std::slice::from_mut(bytes)) {
            Ok(written) => Ok(written),
            Err(WriteError::Blocked) => Ok(0),
            Err(_) => Err(Broken("the peer wants no more".into())),
        }
    }

    /// No more will be written.
    pub(crate) fn finish(&self, connection: &mut Connection) {
        // One that the peer stopped is given up: until then it takes the place of another.
        if let Err(FinishError::Stopped(_)) = connection.send_stream(self.id).finish() {
            self.give_up(connection);
        }
    }

    /// What is written and has not left need not leave any more.
    pub(crate) fn give_up(&self, connection: &mut Connection) {
        let _ = connection.send_stream(self.id).reset(VarInt::from_u32(0));
    }

    /// No more will be read.
    pub(crate) fn stop(&mut self, connection: &mut Connection) {
        self.forget();
        let _ = connection.recv_stream(self.id).stop(VarInt::from_u32(0));
    }
}

impl Pipe {
    fn forget(&mut self) {
        let (ready, ahead) = (std::mem::take(&mut self.ready), std::mem::take(&mut self.ahead));
        ready.iter().chain(ahead.values()).for_each(|bytes| self.account.waited(bytes.len()));
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.forget();
    }
}

/// A message at the beginning of `bytes`, and its length there; none if it is not complete.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<Option<(T, usize)>, Broken> {
    let Some((length, rest)) = bytes.split_at_checked(2) else { return Ok(None) };
    let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
    if length > LONGEST {
        return Err(Broken(format!("a message of {length} bytes; the longest has {LONGEST}")));
    }
    let Some(json) = rest.get(..length) else { return Ok(None) };
    match serde_json::from_slice(json) {
        Ok(message) => Ok(Some((message, 2 + length))),
        Err(error) => Err(Broken(format!("a message that is none of this protocol: {error}"))),
    }
}

/// Reads bytes as a message; what is read says the same when it is written again.
#[cfg(fuzzing)]
pub(crate) fn reads<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(bytes: &[u8]) {
    let Ok(Some((message, length))) = parse::<T>(bytes) else { return };
    assert!(length <= bytes.len());
    let json = serde_json::to_vec(&message).expect("it was JSON");
    assert_eq!(serde_json::from_slice::<T>(&json).expect("it still is"), message);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::message::{Reply, Request};
    use proptest::prelude::*;

    #[test]
    fn a_message_is_whole_or_not_there() {
        let mut pipe = Pipe::new(StreamId::new(noq_proto::Side::Client, noq_proto::Dir::Bi, 0), &Arc::default());
        let put = Request::Put { name: "a".into(), bytes: 3, hash: "00".into(), force: false };
        pipe.say(&put);
        pipe.say(&Request::Drain);
        let bytes = pipe.unsent.to_vec();
        let (first, length) = parse::<Request>(&bytes).unwrap().unwrap();
        assert_eq!(first, put);
        assert_eq!(parse::<Request>(&bytes[length..]).unwrap().unwrap(), (Request::Drain, bytes.len() - length));
        (0..length).for_each(|end| assert_eq!(parse::<Request>(&bytes[..end]), Ok(None)));
        assert!(parse::<Request>(&[0xff, 0xff]).is_err(), "longer than any message");
        assert!(parse::<Reply>(&bytes).is_err(), "of the other side");
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(Some((_, length))) = parse::<Request>(&bytes) {
                prop_assert!(length <= bytes.len());
            }
            // Behind an honest length, too.
            let mut framed = (bytes.len() as u16).to_be_bytes().to_vec();
            framed.extend_from_slice(&bytes);
            prop_assert!(!matches!(parse::<Request>(&framed), Ok(None)));
        }
    }
}
