//! The two ends of every flow: sockets of the kernel's own TCP, and what it tells of them.

use std::io::{self, ErrorKind, Write};
use std::net::{Shutdown, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};

use nix::poll::{PollFd, PollFlags};
use nix::sys::socket::{MsgFlags, recv};
use symbiosis_base::{Instant, Span};
use symbiosis_run::{FlowPlan, Plan};

use super::clock::RunClock;
use super::controllers::kernel_name;
use super::error::TestbedError;
use super::hosts::{receiver, sender};
use super::socket::{TcpInfo, connecting, reset_when_closed};

/// What is written at once \[bytes\], and read: the largest segment that Linux' TCP makes (GSO).
const CHUNK: usize = 65_536;
/// Chunks that a flow is given before others get their turn: twice what may wait unsent in a socket (`UNSENT`), so that one turn fills it.
const TURN: usize = 8;

/// A flow as the kernel told of it, at instants about as far apart as the samples of a trace; nothing before it began.
pub type Told = Vec<(Instant, Option<TcpInfo>)>;

/// A flow's sending end.
struct End<'a> {
    plan: &'a FlowPlan,
    from: SocketAddrV4,
    to: SocketAddrV4,
    stream: Option<TcpStream>,
    /// Bytes that it has still to write.
    left: u64,
    told: Told,
}

impl End<'_> {
    fn system(&self, error: io::Error) -> TestbedError {
        TestbedError::system(format!("flow {}", self.plan.id))(error)
    }

    /// When something is to be done though nothing happens: it starts or stops.
    fn next(&self) -> Instant {
        match self.stream {
            None => self.plan.start,
            Some(_) if self.left > 0 => self.plan.stop,
            Some(_) => Instant::NEVER,
        }
    }

    /// Starts or stops, if it is time.
    fn tend(&mut self, now: Instant) -> Result<(), TestbedError> {
        match &self.stream {
            None if now >= self.plan.start => {
                let stream = connecting(kernel_name(self.plan.cc), self.from, self.to).map_err(|error| self.system(error))?;
                self.stream = Some(stream);
            }
            Some(stream) if self.left > 0 && now >= self.plan.stop => {
                self.left = 0;
                // What waits unsent still goes out; a peer that is gone has it already.
                let _ = stream.shutdown(Shutdown::Write);
            }
            _ => {}
        }
        Ok(())
    }

    /// What the kernel tells now.
    fn sample(&mut self, at: Instant) {
        self.told.push((at, self.stream.as_ref().and_then(|stream| TcpInfo::of(stream).ok())));
    }

    /// Writes as much as there is room for.
    fn write(&mut self) -> Result<(), TestbedError> {
        static NOTHING: [u8; CHUNK] = [0; CHUNK];
        let Some(mut stream) = self.stream.as_ref() else { return Ok(()) };
        for _ in 0..TURN {
            let wanted = self.left.min(CHUNK as u64) as usize;
            match stream.write(&NOTHING[..wanted]) {
                Ok(written) => self.left -= written as u64,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => break,
                Err(error) => return Err(self.system(error)),
            }
            if self.left == 0 {
                let _ = stream.shutdown(Shutdown::Write);
                break;
            }
        }
        Ok(())
    }
}

/// Sends every flow of the plan from the calling thread, which is at the senders' host: what the kernel told of each.
///
/// # Errors
/// A flow cannot start, or breaks.
pub fn send(plan: &Plan, every: Span, clock: RunClock<'_>) -> Result<Vec<Told>, TestbedError> {
    let end = |(at, flow)| End {
        plan: flow,
        from: SocketAddrV4::new(sender(at), 0),
        to: receiver(at),
        stream: None,
        left: flow.bytes.map_or(u64::MAX, |bytes| bytes.0),
        told: Told::new(),
    };
    let mut ends: Vec<End<'_>> = plan.flows.iter().enumerate().map(end).collect();
    let mut sample = Instant::START;
    while !clock.over() {
        let now = clock.now();
        for end in &mut ends {
            end.tend(now)?;
        }
        while sample <= now {
            ends.iter_mut().for_each(|end| end.sample(sample));
            sample += every;
        }
        let until = ends.iter().map(End::next).min().unwrap_or(Instant::NEVER).min(sample).min(plan.end());
        let writes = |(at, end): (usize, &End<'_>)| end.stream.as_ref().filter(|_| end.left > 0).map(|_| at);
        let writing: Vec<usize> = ends.iter().enumerate().filter_map(writes).collect();
        let fd = |at: &usize| ends[*at].stream.as_ref().map(|stream| PollFd::new(stream.as_fd(), PollFlags::POLLOUT));
        let mut polled: Vec<PollFd<'_>> = writing.iter().filter_map(fd).collect();
        clock.wait(&mut polled, until)?;
        let ready: Vec<usize> = writing.iter().zip(&polled).filter(|(_, fd)| fd.any() == Some(true)).map(|(at, _)| *at).collect();
        for at in ready {
            ends[at].write()?;
        }
    }
    // The end itself belongs to the trace.
    while sample <= plan.end() {
        ends.iter_mut().for_each(|end| end.sample(sample));
        sample += every;
    }
    Ok(ends.into_iter().map(|end| end.told).collect())
}

/// Receives whatever is sent to the receivers' host, and forgets it.
///
/// # Errors
/// The system refuses connections.
pub fn receive(plan: &Plan, listener: &TcpListener, clock: RunClock<'_>) -> Result<(), TestbedError> {
    listener.set_nonblocking(true).map_err(TestbedError::system("nobody can listen"))?;
    let mut streams: Vec<TcpStream> = Vec::new();
    let mut forgotten = vec![0; 4 * CHUNK];
    while !clock.over() {
        let listening = std::iter::once(PollFd::new(listener.as_fd(), PollFlags::POLLIN));
        let mut polled: Vec<_> = listening.chain(streams.iter().map(|stream| PollFd::new(stream.as_fd(), PollFlags::POLLIN))).collect();
        clock.wait(&mut polled, plan.end())?;
        let ready: Vec<bool> = polled.iter().map(|fd| fd.any() == Some(true)).collect();
        let mut at = 0;
        streams.retain(|stream| {
            at += 1;
            // Taken off the queue without being looked at; the end of a stream is nothing more.
            !ready[at] || !matches!(recv(stream.as_raw_fd(), &mut forgotten, MsgFlags::MSG_TRUNC), Ok(0))
        });
        if ready[0] {
            accept(listener, &mut streams).map_err(TestbedError::system("nobody can be received from"))?;
        }
    }
    Ok(())
}

/// Takes in all who wait.
fn accept(listener: &TcpListener, streams: &mut Vec<TcpStream>) -> io::Result<()> {
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                reset_when_closed(&stream)?;
                stream.set_nonblocking(true)?;
                streams.push(stream);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}
