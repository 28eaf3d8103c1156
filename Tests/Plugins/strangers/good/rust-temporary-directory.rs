// SPDX-License-Identifier: Apache-2.0
//
// says: nothing
//
// Writes files to a new directory below the temporary one, reads them back, and removes the
// directory when its guard is dropped, on every way out.

#![allow(dead_code)]

use std::ffi::{c_char, c_void};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64,Ordering};

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

const NAMES: [&str; 2] = ["one", "two"];

static COUNTER: AtomicU64 = AtomicU64::new(0);

struct Scratch(PathBuf);

impl Scratch {
    fn new() -> std::io::Result<Scratch> {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let here = &COUNTER as *const AtomicU64 as usize;
        let name = format!("rusty-{}-{here:x}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path)?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for name in NAMES {
            let _ = fs::remove_file(self.0.join(name));
        }
        let _ = fs::remove_dir(&self.0);
    }
}

fn copy(payload: &[u8]) -> std::io::Result<usize> {
    let scratch = Scratch::new()?;
    let mut bytes = 0;
    for name in NAMES {
        let path = scratch.0.join(name);
        let mut file = fs::File::create(&path)?;
        file.write_all(payload)?;
        drop(file);
        bytes += fs::read(&path)?.len();
    }
    Ok(bytes)
}

fn work(payload: &[u8]) -> Result<String, String> {
    let bytes = copy(payload).map_err(|problem| format!("no temporary files: {problem}"))?;
    if bytes == 2 * payload.len() {
        Ok(String::new())
    } else {
        Err("the files are shorter".into())
    }
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
