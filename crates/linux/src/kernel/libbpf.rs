//! libbpf, looked for when it is needed: building this project takes nothing but Rust.
//!
//! Its ABI has been stable since version 1.0; what is declared here is in all of them.

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use libloading::Library;

use super::error::KernelError;
use super::layout::Plain;

macro_rules! functions {
    ($($name:ident($($arg:ty),*) -> $back:ty;)*) => {
        /// The functions of libbpf that are used.
        #[allow(non_snake_case, reason = "these are its names")]
        pub(crate) struct Libbpf {
            $($name: unsafe extern "C" fn($($arg),*) -> $back,)*
            _library: Library,
        }

        impl Libbpf {
            /// Finds libbpf.
            pub(crate) fn open() -> Result<Libbpf, KernelError> {
                // SAFETY: loading libbpf runs no code but its dependencies' initialisers, which have no preconditions.
                let library = unsafe { Library::new("libbpf.so.1") }.map_err(|_| KernelError::NoLibbpf)?;
                // SAFETY: these are the declarations of libbpf 1.x (bpf.h, libbpf.h).
                unsafe {
                    Ok(Libbpf {
                        $($name: *library.get(concat!(stringify!($name), "\0").as_bytes()).map_err(|_| KernelError::NoLibbpf)?,)*
                        _library: library,
                    })
                }
            }
        }
    };
}

functions! {
    bpf_object__open_mem(*const c_void, usize, *const c_void) -> *mut c_void;
    bpf_object__load(*mut c_void) -> c_int;
    bpf_object__close(*mut c_void) -> ();
    bpf_object__find_map_by_name(*const c_void, *const c_char) -> *mut c_void;
    bpf_map__fd(*const c_void) -> c_int;
    bpf_map__attach_struct_ops(*const c_void) -> *mut c_void;
    bpf_link__disconnect(*mut c_void) -> ();
    bpf_link__destroy(*mut c_void) -> c_int;
    bpf_map_get_next_id(u32, *mut u32) -> c_int;
    bpf_map_get_fd_by_id(u32) -> c_int;
    bpf_obj_get_info_by_fd(c_int, *mut c_void, *mut u32) -> c_int;
    bpf_map_lookup_elem(c_int, *const c_void, *mut c_void) -> c_int;
    bpf_map_update_elem(c_int, *const c_void, *const c_void, u64) -> c_int;
    bpf_map_delete_elem(c_int, *const c_void) -> c_int;
    bpf_map_get_next_key(c_int, *const c_void, *mut c_void) -> c_int;
    ring_buffer__new(c_int, OnSample, *mut c_void, *const c_void) -> *mut c_void;
    ring_buffer__poll(*mut c_void, c_int) -> c_int;
    ring_buffer__consume(*mut c_void) -> c_int;
    ring_buffer__free(*mut c_void) -> ();
}

type OnSample = unsafe extern "C" fn(*mut c_void, *mut c_void, c_long) -> c_int;

/// `bpf_map_update_elem`: whether the key is there or not.
const ANY: u64 = 0;
/// `bpf_map_update_elem`: only if the key is there.
const EXIST: u64 = 2;
/// The key of a map that has one value.
pub(crate) const ONLY: u32 = 0;

/// What the kernel calls kinds of maps (`enum bpf_map_type`).
pub(crate) const HASH: u32 = 1;
pub(crate) const ARRAY: u32 = 2;
pub(crate) const STRUCT_OPS: u32 = 26;
pub(crate) const RINGBUF: u32 = 27;

/// The beginning of the kernel's `struct bpf_map_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct MapInfo {
    kind: u32,
    id: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
    map_flags: u32,
    name: [u8; 16],
}

/// A map of the machine, whosever it is.
pub(crate) struct Found {
    info: MapInfo,
    fd: OwnedFd,
}

impl Found {
    /// The same with keys and values of these types. None if its own are of other sizes, or of several values for each key: the kernel would read
    /// and write beyond ours.
    pub(crate) fn typed<K: Plain, V: Plain>(self) -> Option<Map<K, V>> {
        let fits = (self.info.key_size as usize, self.info.value_size as usize) == (size_of::<K>(), size_of::<V>());
        let Found { info: MapInfo { id, kind, max_entries, .. }, fd } = self;
        (fits && [HASH, ARRAY].contains(&kind)).then_some(Map { id, max_entries, fd, of: PhantomData })
    }

    fn name(&self) -> &str {
        CStr::from_bytes_until_nul(&self.info.name).ok().and_then(|name| name.to_str().ok()).unwrap_or("")
    }
}

/// A map with one value of type `V` for each key of type `K`.
pub(crate) struct Map<K, V> {
    pub(crate) id: u32,
    max_entries: u32,
    fd: OwnedFd,
    of: PhantomData<(K, V)>,
}

fn checked(back: c_int) -> io::Result<()> {
    if back < 0 { Err(io::Error::from_raw_os_error(-back)) } else { Ok(()) }
}

impl Libbpf {
    /// Every map of the machine with the name and the kind, the latest last.
    pub(crate) fn maps(&self, name: &str, kind: u32) -> Vec<Found> {
        let mut found = Vec::new();
        let mut id = 0;
        // SAFETY: `id` is one, and lives.
        while unsafe { (self.bpf_map_get_next_id)(id, &mut id) } == 0 {
            // SAFETY: plain numbers.
            let fd = unsafe { (self.bpf_map_get_fd_by_id)(id) };
            if fd < 0 {
                continue; // gone meanwhile
            }
            // SAFETY: a new descriptor, which nobody else has.
            let fd = unsafe { OwnedFd::from_raw_fd(fd) };
            found.extend(self.found(fd).ok().filter(|map| map.name() == name && map.info.kind == kind));
        }
        found
    }

    /// What the kernel says of a map.
    fn found(&self, fd: OwnedFd) -> io::Result<Found> {
        let mut info = MapInfo::default();
        let mut len = size_of::<MapInfo>() as u32;
        // SAFETY: the kernel writes at most `len` bytes, which are `info`, whole numbers all.
        checked(unsafe { (self.bpf_obj_get_info_by_fd)(fd.as_raw_fd(), (&raw mut info).cast(), &mut len) })?;
        Ok(Found { info, fd })
    }

    /// The value of a map of operations, of which there is one, as bytes.
    pub(crate) fn operations(&self, map: &Found) -> io::Result<Vec<u8>> {
        if map.info.kind != STRUCT_OPS {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (key, mut value) = (ONLY, vec![0; map.info.value_size as usize]);
        // SAFETY: the kernel makes maps of operations with keys of four bytes only, and writes one value of the size that it has told.
        checked(unsafe { (self.bpf_map_lookup_elem)(map.fd.as_raw_fd(), (&raw const key).cast(), value.as_mut_ptr().cast()) })?;
        Ok(value)
    }

    /// Unregisters operations.
    pub(crate) fn unregister(&self, map: &Found) -> io::Result<()> {
        if map.info.kind != STRUCT_OPS {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let key = ONLY;
        // SAFETY: as in `operations`.
        checked(unsafe { (self.bpf_map_delete_elem)(map.fd.as_raw_fd(), (&raw const key).cast()) })
    }

    /// The value at `key`.
    pub(crate) fn lookup<K: Plain, V: Plain>(&self, map: &Map<K, V>, key: K) -> io::Result<V> {
        let mut value = MaybeUninit::<V>::zeroed();
        // SAFETY: the map's keys and values are of these sizes (`Found::typed`); any bytes are a value.
        unsafe {
            checked((self.bpf_map_lookup_elem)(map.fd.as_raw_fd(), (&raw const key).cast(), value.as_mut_ptr().cast()))?;
            Ok(value.assume_init())
        }
    }

    /// Puts `value` at `key`, which must be there if `exists` says so.
    pub(crate) fn update<K: Plain, V: Plain>(&self, map: &Map<K, V>, key: K, value: &V, exists: bool) -> io::Result<()> {
        let flags = if exists { EXIST } else { ANY };
        // SAFETY: as in `lookup`; the kernel reads both, which live.
        checked(unsafe { (self.bpf_map_update_elem)(map.fd.as_raw_fd(), (&raw const key).cast(), (&raw const *value).cast(), flags) })
    }

    /// Removes `key`, if it is there.
    pub(crate) fn remove<K: Plain, V: Plain>(&self, map: &Map<K, V>, key: K) {
        // SAFETY: as in `lookup`; the kernel reads the key, which lives. It fails where there is no such key.
        unsafe { (self.bpf_map_delete_elem)(map.fd.as_raw_fd(), (&raw const key).cast()) };
    }

    /// The keys that a map has, or may have: whoever looks at the next of one that is gone meanwhile begins again, so that some may come twice.
    pub(crate) fn keys<K: Plain, V: Plain>(&self, map: &Map<K, V>) -> Vec<K> {
        let mut keys = Vec::new();
        while keys.len() < map.max_entries as usize {
            let before: *const K = keys.last().map_or(std::ptr::null(), std::ptr::from_ref);
            let mut key = MaybeUninit::<K>::zeroed();
            // SAFETY: the map's keys are of this size (`Found::typed`); a null key asks for the first. Any bytes are a key.
            unsafe {
                if (self.bpf_map_get_next_key)(map.fd.as_raw_fd(), before.cast(), key.as_mut_ptr().cast()) != 0 {
                    break;
                }
                keys.push(key.assume_init());
            }
        }
        keys
    }

    /// Loads a program, an object file's bytes, calls `prepare` with a map by name, and registers its congestion control: it stays when the process ends.
    pub(crate) fn register(&self, file: &[u8], ops: &CStr, map: &CStr, prepare: impl FnOnce(Found) -> io::Result<()>) -> io::Result<()> {
        // SAFETY: the bytes live until the object is closed; no options.
        let object = unsafe { (self.bpf_object__open_mem)(file.as_ptr().cast(), file.len(), std::ptr::null()) };
        if object.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: `object` is open until it is closed below; maps are its own, and so is the descriptor that is duplicated.
        let done = unsafe {
            checked((self.bpf_object__load)(object)).and_then(|()| {
                // Of no map it is negative.
                let fd = (self.bpf_map__fd)((self.bpf_object__find_map_by_name)(object, map.as_ptr()));
                checked(fd)?;
                prepare(self.found(std::os::fd::BorrowedFd::borrow_raw(fd).try_clone_to_owned()?)?)?;
                let link = (self.bpf_map__attach_struct_ops)((self.bpf_object__find_map_by_name)(object, ops.as_ptr()));
                if link.is_null() {
                    return Err(io::Error::last_os_error());
                }
                // Or it would be unregistered with the link.
                (self.bpf_link__disconnect)(link);
                (self.bpf_link__destroy)(link);
                Ok(())
            })
        };
        // SAFETY: open, and not used any more.
        unsafe { (self.bpf_object__close)(object) };
        done
    }

    /// A reader of the ring buffer `map`.
    pub(crate) fn ring(&self, map: &Found) -> io::Result<Ring<'_>> {
        let samples = Box::into_raw(Box::<Vec<u8>>::default());
        // SAFETY: `take` gets the vector, which lives as long as the ring; libbpf refuses maps of other kinds.
        let ring = unsafe { (self.ring_buffer__new)(map.fd.as_raw_fd(), take, samples.cast(), std::ptr::null()) };
        if ring.is_null() {
            let error = io::Error::last_os_error();
            // SAFETY: made above, and nobody has it.
            drop(unsafe { Box::from_raw(samples) });
            return Err(error);
        }
        Ok(Ring { libbpf: self, ring, samples })
    }
}

/// Reads a ring buffer.
pub(crate) struct Ring<'a> {
    libbpf: &'a Libbpf,
    ring: *mut c_void,
    samples: *mut Vec<u8>,
}

unsafe extern "C" fn take(samples: *mut c_void, data: *mut c_void, size: c_long) -> c_int {
    // SAFETY: `samples` is the ring's vector, which nobody else uses while it is polled; `data` has `size` bytes.
    unsafe {
        let samples = &mut *samples.cast::<Vec<u8>>();
        samples.extend_from_slice(std::slice::from_raw_parts(data.cast(), size as usize));
    }
    0
}

impl Ring<'_> {
    /// What is there, one sample after another, after waiting for it for at most `wait_ms`.
    pub(crate) fn poll(&mut self, wait_ms: i32) -> io::Result<&[u8]> {
        // SAFETY: the ring lives, and the vector is used by its callback alone until it returns.
        unsafe {
            (*self.samples).clear();
            let back = (self.libbpf.ring_buffer__poll)(self.ring, wait_ms);
            if back < 0 && back != -nix::libc::EINTR {
                return Err(io::Error::from_raw_os_error(-back));
            }
            if (*self.samples).is_empty() {
                // Most records wake nobody.
                (self.libbpf.ring_buffer__consume)(self.ring);
            }
            Ok(&*self.samples)
        }
    }
}

impl Drop for Ring<'_> {
    fn drop(&mut self) {
        // SAFETY: both are ours, and used no more.
        unsafe {
            (self.libbpf.ring_buffer__free)(self.ring);
            drop(Box::from_raw(self.samples));
        }
    }
}
