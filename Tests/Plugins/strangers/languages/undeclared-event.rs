// SPDX-License-Identifier: Apache-2.0
// says: CF0836
//
// Raises an event that its manifest does not declare.

#![allow(dead_code)]

use std::ffi::{c_char, c_void};
use std::time::Duration;

#[repr(C)]
pub struct Api {
    struct_size: u32,
    abi: u32,
    register_handler: unsafe extern "C" fn(*const Api, *const Handler, *mut Error) -> i32,
    task_info: unsafe extern "C" fn(*const Api, u64, *mut TaskInfo) -> i32,
    is_expired: unsafe extern "C" fn(*const Api, u64) -> bool,
    _gap0: [usize; 5],
    raise: unsafe extern "C" fn(*const Api, u64, *const c_char, *const c_void, u32) -> i32,
    log: unsafe extern "C" fn(*const Api, u64, i32, *const u8, u64),
}

#[repr(C)]
pub struct Handler {
    struct_size: u32,
    reserved: u32,
    identifier: *const c_char,
    data: *mut c_void,
    run: extern "C" fn(*mut c_void, *const Api, u64, *mut Error) -> i32,
    expired: Option<extern "C" fn(*mut c_void, *const Api, u64, i32)>,
}

#[repr(C)]
pub struct TaskInfo {
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
pub struct PluginInfo {
    struct_size: u32,
    abi: u32,
    id: *const c_char,
    version: *const c_char,
    data: *mut c_void,
    retire: Option<extern "C" fn(*mut c_void)>,
}

#[repr(C)]
pub struct Error {
    struct_size: u32,
    code: i32,
    message: [u8; 1016],
}

#[repr(C, align(4))]
struct Note([u32; 3], [u8; 8], [u32; 2]);

#[used]
#[link_section = ".note.curfew"]
static NOTE: Note = Note([7, 8, 1], *b"Curfew\0\0", [0, 0]);

pub struct Task<'a> {
    api: &'a Api,
    id: u64,
    payload: &'a [u8],
}

impl Task<'_> {
    fn is_expired(&self) -> bool {
        unsafe { (self.api.is_expired)(self.api, self.id) }
    }

    fn log(&self, text: &[u8]) {
        unsafe { (self.api.log)(self.api, self.id, 1, text.as_ptr(), text.len() as u64) }
    }
}

fn work(task: &Task) -> Result<(), String> {
    if task.payload == b"fail" {
        return Err("asked to fail".into());
    }
    while task.payload == b"slow" && !task.is_expired() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let raised = unsafe {
        (task.api.raise)(task.api, task.id, c"work_looked".as_ptr(), std::ptr::null(), 0)
    };
    if raised != 0 {
        task.log(b"nobody was told");
    }
    Ok(())
}

extern "C" fn run(_: *mut c_void, api: *const Api, id: u64, error: *mut Error) -> i32 {
    let mut info: TaskInfo = unsafe { std::mem::zeroed() };
    info.struct_size = std::mem::size_of::<TaskInfo>() as u32;
    let known = unsafe { ((*api).task_info)(api, id, &mut info) } == 0;
    let payload = match info.payload_bytes {
        0 => &[],
        n => unsafe { std::slice::from_raw_parts(info.payload, n as usize) },
    };
    let task = Task { api: unsafe { &*api }, id, payload };
    let done = if known { work(&task) } else { Err("unknown task".into()) };
    match done {
        Ok(()) => 0,
        Err(text) => {
            let n = text.len().min(1015);
            let message = unsafe { &mut (*error).message };
            message[..n].copy_from_slice(&text.as_bytes()[..n]);
            message[n] = 0;
            22
        }
    }
}

#[no_mangle]
pub unsafe extern "C" fn curfew_plugin_entry(
    api: *const Api,
    _info: *mut PluginInfo,
    error: *mut Error,
) -> i32 {
    let handler = Handler {
        struct_size: std::mem::size_of::<Handler>() as u32,
        reserved: 0,
        identifier: c"org.example.stranger.work".as_ptr(),
        data: std::ptr::null_mut(),
        run,
        expired: None,
    };
    ((*api).register_handler)(api, &handler, error)
}
