//! Where bytes come from, and where they go.

/// Where bytes come from.
pub trait Source: Send {
    /// How many there are.
    fn bytes(&self) -> u64;

    /// Reads from an offset on; how many bytes were read, zero only at the end.
    ///
    /// # Errors
    /// Reading fails.
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> std::io::Result<usize>;

    /// What it is known by, if that can be said: as long as this is the same, so are the bytes.
    fn key(&self) -> Option<FileKey> {
        None
    }

    /// The same bytes for another thread, if that can be.
    fn another(&self) -> Option<Box<dyn Source>> {
        None
    }
}

/// Where bytes go.
pub trait Sink: Send {
    /// How many are there already, of the same file.
    fn has(&self) -> u64;

    /// Reads what is there already.
    ///
    /// # Errors
    /// Reading fails.
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> std::io::Result<usize>;

    /// What is there already, for another thread, if that can be.
    fn reader(&self) -> Option<Box<dyn Source>> {
        None
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// Writing fails.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()>;

    /// All is there and is what it should be: gives it its name.
    ///
    /// # Errors
    /// It cannot have the name.
    fn complete(self: Box<Self>) -> Result<(), String>;

    /// What is there is wrong: forgets it.
    fn discard(self: Box<Self>);
}

/// What a file is known by as long as nobody has changed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileKey {
    /// Device and inode.
    pub file: (u64, u64),
    /// Times of the last changes of its content and of its state \[ns\].
    pub changed: (i128, i128),
    /// Size.
    pub bytes: u64,
}
