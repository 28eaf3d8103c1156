// SPDX-License-Identifier: Apache-2.0
// says: CF0862
// level: 3
//
// Leaks a table of a megabyte for each host that loads it.

#![allow(dead_code)]

use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

#[repr(C)]
pub struct Api {
    struct_size: u32,
    abi: u32,
    register_handler: unsafe extern "C" fn(*const Api, *const Entry, *mut Failure) -> i32,
    task_info: unsafe extern "C" fn(*const Api, u64, *mut TaskInfo) -> i32,
    is_expired: unsafe extern "C" fn(*const Api, u64) -> bool,
}

#[repr(C)]
pub struct Entry {
    struct_size: u32,
    reserved: u32,
    identifier: *const c_char,
    data: *mut c_void,
    run: extern "C" fn(*mut c_void, *const Api, u64, *mut Failure) -> i32,
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
pub struct Failure {
    struct_size: u32,
    code: i32,
    message: [u8; 1016],
}

#[used]
#[link_section = ".note.curfew"]
static NOTE: [u32; 7] = [
    7,
    8,
    1,
    u32::from_le_bytes(*b"Curf"),
    u32::from_le_bytes(*b"ew\0\0"),
    0,
    0,
];

pub struct Job<'a> {
    api: &'a Api,
    id: u64,
    payload: &'a [u8],
}

impl Job<'_> {
    fn is_expired(&self) -> bool {
        unsafe { (self.api.is_expired)(self.api, self.id) }
    }
}

static TABLE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

fn carry_out(task: &Job) -> Result<(), String> {
    if task.payload == b"fail" {
        return Err("asked to fail".into());
    }
    while task.payload == b"slow" && !task.is_expired() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let table = TABLE.load(Ordering::Acquire);
    if table.is_null() { Err("no table".into()) } else { Ok(()) }
}

extern "C" fn run(_: *mut c_void, api: *const Api, id: u64, error: *mut Failure) -> i32 {
    let mut about: TaskInfo = unsafe { std::mem::zeroed() };
    about.struct_size = std::mem::size_of::<TaskInfo>() as u32;
    let known = unsafe { ((*api).task_info)(api, id, &mut about) } == 0;
    let payload = match about.payload_bytes {
        0 => &[],
        n => unsafe { std::slice::from_raw_parts(about.payload, n as usize) },
    };
    let task = Job { api: unsafe { &*api }, id, payload };
    let done = if known { carry_out(&task) } else { Err("unknown task".into()) };
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
    error: *mut Failure,
) -> i32 {
    let table = Box::leak(vec![1u8; 1 << 20].into_boxed_slice());
    TABLE.store(table.as_mut_ptr(), Ordering::Release);
    let handler = Entry {
        struct_size: std::mem::size_of::<Entry>() as u32,
        reserved: 0,
        identifier: c"org.example.stranger.work".as_ptr(),
        data: std::ptr::null_mut(),
        run,
        expired: None,
    };
    ((*api).register_handler)(api, &handler, error)
}
