// SPDX-License-Identifier: Apache-2.0
//! What a plugin needs of `curfew/plugin.h`, `curfew/requests.h` and `curfew/ext/requests.h`, which
//! explain it. Structs only grow at their ends, so that these stay right.
use std::ffi::c_void;
use std::os::raw::c_char;

pub const OK: i32 = 0;
pub const LATE: i32 = 3;
pub const EXPIRED: i32 = 4;
pub const FAILED: i32 = 22;
pub const LOG_INFO: i32 = 1;
pub const ON_PENDING_KEEP: i32 = 2;

/// The ELF note with the ABI number, which the host reads before it runs any code.
#[repr(C, align(4))]
pub struct Note {
    name_bytes: u32,
    description_bytes: u32,
    kind: u32,
    name: [u8; 8],
    abi: u32,
    reserved: u32,
}

pub const NOTE: Note = Note {
    name_bytes: 7,
    description_bytes: 8,
    kind: 1,
    name: *b"Curfew\0\0",
    abi: 0,
    reserved: 0,
};

#[repr(C)]
pub struct Error {
    struct_size: u32,
    code: i32,
    message: [u8; 1016],
}

impl Error {
    pub fn new() -> Error {
        Error { struct_size: size_of::<Error>(), code: 0, message: [0; 1016] }
    }

    /// The text, for which the host always writes a NUL.
    pub fn text(&self) -> String {
        let end = self.message.iter().position(|byte| *byte == 0).unwrap_or(0);
        String::from_utf8_lossy(&self.message[..end]).into_owned()
    }

    /// Writes a text, cut to the room that there is.
    pub fn write(&mut self, text: &str) {
        let mut count = text.len().min(self.message.len() - 1);
        while !text.is_char_boundary(count) {
            count -= 1;
        }
        self.message[..count].copy_from_slice(&text.as_bytes()[..count]);
        self.message[count] = 0;
    }
}

impl Default for Error {
    fn default() -> Error {
        Error::new()
    }
}

type Run = unsafe extern "C" fn(*mut c_void, *const HostApi, u64, *mut Error) -> i32;
pub type Expired = unsafe extern "C" fn(*mut c_void, *const HostApi, u64, i32);

#[repr(C)]
pub struct Handler {
    pub struct_size: u32,
    pub reserved: u32,
    pub identifier: *const c_char,
    pub handler_data: *mut c_void,
    pub run: Option<Run>,
    pub expired: Option<Expired>,
}

#[repr(C)]
pub struct TaskInfo {
    pub struct_size: u32,
    pub kind: i32,
    pub attempt: u32,
    pub reason: i32,
    pub identifier: *const c_char,
    pub payload: *const u8,
    pub payload_bytes: u64,
    pub budget_ns: u64,
    pub grace_ns: u64,
}

#[repr(C)]
pub struct Value {
    struct_size: u32,
    kind: i32,
    integer: i64,
    number: f64,
    text: *const u8,
    text_bytes: u64,
}

impl Value {
    pub fn new(value: &crate::Value) -> Value {
        let mut made: Value = unsafe { std::mem::zeroed() };
        made.struct_size = size_of::<Value>();
        match *value {
            crate::Value::Bool(value) => (made.kind, made.integer) = (1, value as i64),
            crate::Value::Int32(value) => (made.kind, made.integer) = (2, value as i64),
            crate::Value::Int64(value) => (made.kind, made.integer) = (3, value),
            crate::Value::Double(value) => (made.kind, made.number) = (4, value),
            crate::Value::Text(text) => {
                made.kind = 5;
                made.text = text.as_ptr();
                made.text_bytes = text.len() as u64;
            }
        }
        made
    }
}

#[repr(C)]
pub struct HostApi {
    pub struct_size: u32,
    pub abi: u32,
    pub register_handler: unsafe extern "C" fn(*const HostApi, *const Handler, *mut Error) -> i32,
    pub task_info: unsafe extern "C" fn(*const HostApi, u64, *mut TaskInfo) -> i32,
    pub is_expired: unsafe extern "C" fn(*const HostApi, u64) -> bool,
    pub remaining_ns: unsafe extern "C" fn(*const HostApi, u64) -> u64,
    pub progress: unsafe extern "C" fn(*const HostApi, u64, f64, *const u8, u64) -> i32,
    pub complete: unsafe extern "C" fn(
        *const HostApi, u64, i32, *const u8, u64, *const u8, u64,
    ) -> i32,
    pub keep: unsafe extern "C" fn(*const HostApi, u64) -> i32,
    pub release: unsafe extern "C" fn(*const HostApi, u64) -> i32,
    pub raise: unsafe extern "C" fn(*const HostApi, u64, *const c_char, *const Value, u32) -> i32,
    pub log: unsafe extern "C" fn(*const HostApi, u64, i32, *const u8, u64),
    pub extension: unsafe extern "C" fn(*const HostApi, *const c_char) -> *const c_void,
}

#[repr(C)]
pub struct SubmitOptions {
    pub struct_size: u32,
    pub kind: i32,
    pub earliest_ns: i64,
    pub latest_ns: i64,
    pub needs: u32,
    pub priority: i32,
    pub on_pending: i32,
    pub attempts: u32,
    pub backoff_ns: u64,
    pub max_backoff_ns: u64,
    pub interval_ns: u64,
    pub cron: *const c_char,
    pub cron_is_local: bool,
    pub reserved: [u8; 3],
    pub catch_up: i32,
    pub jitter_ns: u64,
    pub key: *const c_char,
    pub payload: *const u8,
    pub payload_bytes: u64,
    pub after_ns: u64,
}

#[repr(C)]
pub struct Requests {
    pub struct_size: u32,
    pub reserved: u32,
    pub submit: unsafe extern "C" fn(
        *const HostApi, *const c_char, *const SubmitOptions, *mut u64, *mut Error,
    ) -> i32,
    pub cancel: unsafe extern "C" fn(*const HostApi, *const c_char, *mut Error) -> i32,
    pub snooze: unsafe extern "C" fn(*const HostApi, u64, u64, *mut Error) -> i32,
    pub get_request: unsafe extern "C" fn(*const HostApi, u64) -> u64,
    pub list_pending: unsafe extern "C" fn(
        *const HostApi, u64, *mut c_void, u32, *mut u32, *mut Error,
    ) -> i32,
    pub read_payload: unsafe extern "C" fn(
        *const HostApi, u64, *mut c_void, u64, *mut u64, *mut Error,
    ) -> i32,
    pub get_wall_ns: unsafe extern "C" fn(*const HostApi) -> i64,
}

pub fn size_of<Struct>() -> u32 {
    std::mem::size_of::<Struct>() as u32
}
