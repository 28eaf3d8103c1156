// SPDX-License-Identifier: Apache-2.0
//
// says: nothing
//
// Keeps a bounded history in a Mutex that belongs to one host, is a Box in plugin_data and is
// dropped in retire; the expiration callback notifies a Condvar there.

#![allow(dead_code)]

use std::collections::VecDeque;
use std::ffi::{c_char, c_void};
use std::sync::{Condvar,Mutex,MutexGuard};
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
    history: Mutex<VecDeque<Vec<u8>>>,
    changed: Condvar,
}

impl State {
    fn new() -> State {
        State { history: Mutex::new(VecDeque::new()), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Vec<u8>>> {
        self.history.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

unsafe extern "C" fn run(
    data: *mut c_void,
    host: *const Host,
    task: u64,
    failure: *mut Failure,
) -> i32 {
    let state = &*(data as *const State);
    let Some(payload) = payload_of(host, task) else {
        return (*failure).set("unknown task");
    };
    if payload == b"fail" {
        return (*failure).set("asked to fail");
    }
    let mut history = state.lock();
    history.push_back(payload[..payload.len().min(64)].to_vec());
    if history.len() > 20 {
        history.pop_front();
    }
    if payload != b"slow" {
        return 0;
    }
    while !((*host).is_expired)(host, task) {
        history = match state.changed.wait_timeout(history, Duration::from_millis(20)) {
            Ok((guard, _)) => guard,
            Err(poisoned) => poisoned.into_inner().0,
        };
    }
    (*failure).set("told to stop")
}

unsafe extern "C" fn expired(data: *mut c_void, _host: *const Host, _task: u64, _reason: i32) {
    let state = &*(data as *const State);
    state.changed.notify_all();
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
        expired: Some(expired),
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
