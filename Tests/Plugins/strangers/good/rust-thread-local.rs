// SPDX-License-Identifier: Apache-2.0
//
// says: nothing
//
// Has a thread_local buffer with a destructor and a OnceLock for the process; a Rc never leaves
// its thread.

#![allow(dead_code)]

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::rc::Rc;
use std::sync::OnceLock;

#[repr(C, align(4))]
struct Note {
    name_bytes: u32,
    description_bytes: u32,
    kind: u32,
    name: [u8; 8],
    abi: u32,
    reserved: u32,
}

#[used]
#[link_section = ".note.curfew"]
static NOTE: Note = Note {
    name_bytes: 7,
    description_bytes: 8,
    kind: 1,
    name: *b"Curfew\0\0",
    abi: 0,
    reserved: 0,
};

#[repr(C)]
pub struct Failure {
    struct_size: u32,
    code: i32,
    message: [u8; 1016],
}

impl Failure {
    fn set(&mut self, text: &str) -> i32 {
        let mut count = text.len().min(self.message.len() - 1);
        while !text.is_char_boundary(count) {
            count -= 1;
        }
        self.message[..count].copy_from_slice(&text.as_bytes()[..count]);
        self.message[count] = 0;
        22
    }
}

#[repr(C)]
struct TaskInfo {
    struct_size: u32,
    kind: i32,
    attempt: u32,
    reason: i32,
    identifier: *const c_char,
    payload: *const u8,
    payload_bytes: u64,
    budget_ns: u64,
    grace_ns: u64,
}

#[repr(C)]
pub struct Handler {
    struct_size: u32,
    reserved: u32,
    identifier: *const c_char,
    handler_data: *mut c_void,
    run: Option<unsafe extern "C" fn(*mut c_void, *const Host, u64, *mut Failure) -> i32>,
    expired: Option<unsafe extern "C" fn(*mut c_void, *const Host, u64, i32)>,
}

#[repr(C)]
pub struct PluginInfo {
    struct_size: u32,
    abi: u32,
    id: *const c_char,
    version: *const c_char,
    plugin_data: *mut c_void,
    retire: Option<unsafe extern "C" fn(*mut c_void)>,
}

#[repr(C)]
pub struct Host {
    struct_size: u32,
    abi: u32,
    register_handler: unsafe extern "C" fn(*const Host, *const Handler, *mut Failure) -> i32,
    task_info: unsafe extern "C" fn(*const Host, u64, *mut TaskInfo) -> i32,
    is_expired: unsafe extern "C" fn(*const Host, u64) -> bool,
    remaining_ns: unsafe extern "C" fn(*const Host, u64) -> u64,
    progress: unsafe extern "C" fn(*const Host, u64, f64, *const u8, u64) -> i32,
    complete:
        unsafe extern "C" fn(*const Host, u64, i32, *const u8, u64, *const u8, u64) -> i32,
}

static TABLE: OnceLock<[u32; 256]> = OnceLock::new();

thread_local! {
    static BUFFER: RefCell<Rc<Vec<u8>>> = RefCell::new(Rc::new(Vec::new()));
}

fn table() -> &'static [u32; 256] {
    TABLE.get_or_init(|| {
        let mut made = [0u32; 256];
        for (index, entry) in made.iter_mut().enumerate() {
            *entry = (0..8).fold(index as u32, |value, _| {
                if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 }
            });
        }
        made
    })
}

fn work(payload: &[u8]) -> Result<String, String> {
    let kept = BUFFER.with(|buffer| {
        let mut buffer = buffer.borrow_mut();
        *buffer = Rc::new(payload[..payload.len().min(4096)].to_vec());
        Rc::clone(&buffer)
    });
    let crc = kept.iter().fold(!0u32, |crc, &byte| {
        crc >> 8 ^ table()[((crc ^ u32::from(byte)) & 255) as usize]
    });
    Ok(format!("{:08x}", !crc))
}

unsafe extern "C" fn run(
    _data: *mut c_void,
    host: *const Host,
    task: u64,
    failure: *mut Failure,
) -> i32 {
    let failure = &mut *failure;
    let mut info: TaskInfo = std::mem::zeroed();
    info.struct_size = std::mem::size_of::<TaskInfo>() as u32;
    if ((*host).task_info)(host, task, &mut info) != 0 {
        return failure.set("unknown task");
    }
    let payload: &[u8] = if info.payload_bytes == 0 {
        &[]
    } else {
        std::slice::from_raw_parts(info.payload, info.payload_bytes as usize)
    };
    if payload == b"fail" {
        return failure.set("asked to fail");
    }
    if payload == b"slow" {
        while !((*host).is_expired)(host, task) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        return failure.set("told to stop");
    }
    match work(payload) {
        Ok(result) => {
            if !result.is_empty() {
                let bytes = result.as_bytes();
                let count = bytes.len() as u64;
                ((*host).complete)(host, task, 0, std::ptr::null(), 0, bytes.as_ptr(), count);
            }
            0
        }
        Err(text) => failure.set(&text),
    }
}

#[no_mangle]
pub unsafe extern "C" fn curfew_plugin_entry(
    host: *const Host,
    info: *mut PluginInfo,
    failure: *mut Failure,
) -> i32 {
    (*info).id = b"org.example.stranger\0".as_ptr() as *const c_char;
    (*info).version = b"1.0.0\0".as_ptr() as *const c_char;
    let handler = Handler {
        struct_size: std::mem::size_of::<Handler>() as u32,
        reserved: 0,
        identifier: b"org.example.stranger.work\0".as_ptr() as *const c_char,
        handler_data: std::ptr::null_mut(),
        run: Some(run),
        expired: None,
    };
    ((*host).register_handler)(host, &handler, failure)
}
