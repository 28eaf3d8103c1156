// SPDX-License-Identifier: Apache-2.0
//
// says: nothing
//
// Reports progress that grows and never exceeds 1, from a type that remembers what it reported
// last; counts its tasks with an atomic of the host.

#![allow(dead_code)]

use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicU64,Ordering};
use std::thread;
use std::time::Duration;

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

unsafe fn payload_of<'a>(host: *const Host, task: u64) -> Option<&'a [u8]> {
    let mut info: TaskInfo = std::mem::zeroed();
    info.struct_size = std::mem::size_of::<TaskInfo>() as u32;
    if ((*host).task_info)(host, task, &mut info) != 0 {
        return None;
    }
    Some(match info.payload_bytes {
        0 => &[],
        count => std::slice::from_raw_parts(info.payload, count as usize),
    })
}

struct State {
    tasks: AtomicU64,
}

impl State {
    fn new() -> State {
        State { tasks: AtomicU64::new(0) }
    }
}

struct Meter {
    host: *const Host,
    task: u64,
    last: f64,
}

impl Meter {
    fn report(&mut self, done: usize, total: usize, text: &str) {
        let fraction = if total == 0 { 1.0 } else { done as f64 / total as f64 };
        if !(0.0..=1.0).contains(&fraction) || fraction <= self.last {
            return;
        }
        self.last = fraction;
        let (bytes, count) = (text.as_ptr(), text.len() as u64);
        unsafe { ((*self.host).progress)(self.host, self.task, fraction, bytes, count) };
    }
}

unsafe extern "C" fn run(
    data: *mut c_void,
    host: *const Host,
    task: u64,
    failure: *mut Failure,
) -> i32 {
    let state = &*(data as *const State);
    let number = state.tasks.fetch_add(1, Ordering::Relaxed) + 1;
    let Some(payload) = payload_of(host, task) else {
        return (*failure).set("unknown task");
    };
    if payload == b"fail" {
        return (*failure).set(&format!("task {number} was asked to fail"));
    }
    let mut meter = Meter { host, task, last: 0.0 };
    let mut zeros = 0;
    for (index, part) in payload.chunks(1 + payload.len() / 8).enumerate() {
        if ((*host).is_expired)(host, task) {
            return (*failure).set("told to stop");
        }
        zeros += part.iter().filter(|byte| **byte == 0).count();
        let text = format!("task {number}: {zeros} zeros");
        meter.report(index + 1, payload.len().min(9), &text);
    }
    if payload == b"slow" {
        while !((*host).is_expired)(host, task) {
            thread::sleep(Duration::from_millis(2));
        }
        return (*failure).set("told to stop");
    }
    0
}

unsafe extern "C" fn retire(data: *mut c_void) {
    drop(Box::from_raw(data as *mut State));
}

#[no_mangle]
pub unsafe extern "C" fn curfew_plugin_entry(
    host: *const Host,
    info: *mut PluginInfo,
    failure: *mut Failure,
) -> i32 {
    let state = Box::into_raw(Box::new(State::new())) as *mut c_void;
    let handler = Handler {
        struct_size: std::mem::size_of::<Handler>() as u32,
        reserved: 0,
        identifier: b"org.example.stranger.work\0".as_ptr() as *const c_char,
        handler_data: state,
        run: Some(run),
        expired: None,
    };
    let status = ((*host).register_handler)(host, &handler, failure);
    if status != 0 {
        drop(Box::from_raw(state as *mut State));
        return status;
    }
    (*info).plugin_data = state;
    (*info).retire = Some(retire);
    0
}
