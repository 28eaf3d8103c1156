// SPDX-License-Identifier: Apache-2.0
//
// says: nothing
//
// Leaves tasks pending, with a reference, and sends them over a channel to a thread of this
// host, which completes them and ends when the channel is closed in retire.

#![allow(dead_code)]

use std::ffi::{c_char, c_void};
use std::sync::Mutex;
use std::sync::mpsc::{self,RecvTimeoutError,Sender};
use std::thread::{self,JoinHandle};
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
    keep: unsafe extern "C" fn(*const Host, u64) -> i32,
    release: unsafe extern "C" fn(*const Host, u64) -> i32,
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

struct Pending {
    host: *const Host,
    task: u64,
    endless: bool,
}

/* The table may be called from any thread. */
unsafe impl Send for Pending {}

impl Pending {
    unsafe fn answer(&self) -> bool {
        let (host, task) = (self.host, self.task);
        let none = std::ptr::null();
        if ((*host).is_expired)(host, task) {
            let text = "told to stop";
            let count = text.len() as u64;
            ((*host).complete)(host, task, 22, text.as_ptr(), count, none, 0);
        } else if self.endless {
            return false;
        } else {
            ((*host).complete)(host, task, 0, none, 0, none, 0);
        }
        ((*host).release)(host, task);
        true
    }
}

fn serve(receiver: mpsc::Receiver<Pending>) {
    let mut all: Vec<Pending> = Vec::new();
    let mut is_open = true;
    while is_open || !all.is_empty() {
        if all.is_empty() {
            match receiver.recv() {
                Ok(pending) => all.push(pending),
                Err(_) => break,
            }
        }
        all.retain(|pending| unsafe { !pending.answer() });
        if all.is_empty() {
            continue;
        }
        match receiver.recv_timeout(Duration::from_millis(2)) {
            Ok(pending) => all.push(pending),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                is_open = false;
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

struct State {
    sender: Mutex<Option<Sender<Pending>>>,
    thread: Option<JoinHandle<()>>,
}

impl State {
    fn new() -> State {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::Builder::new().spawn(move || serve(receiver)).ok();
        State { sender: Mutex::new(Some(sender)), thread }
    }

    fn send(&self, pending: Pending) -> bool {
        let sender = self.sender.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        sender.as_ref().is_some_and(|sender| sender.send(pending).is_ok())
    }
}

impl Drop for State {
    fn drop(&mut self) {
        if let Ok(mut sender) = self.sender.lock() {
            sender.take();
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
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
    if ((*host).keep)(host, task) != 0 {
        return (*failure).set("no reference to the task");
    }
    if state.send(Pending { host, task, endless: payload == b"slow" }) {
        return 1;
    }
    ((*host).release)(host, task);
    (*failure).set("there is no thread to do it")
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
