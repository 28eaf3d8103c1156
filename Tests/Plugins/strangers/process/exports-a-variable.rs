// SPDX-License-Identifier: Apache-2.0
// says: CF0808
//
// Exports a variable besides its entry, as a mark for its own tools.

use std::ffi::{c_char, c_void};

#[repr(C)]
pub struct Info {
    struct_size: u32,
    abi: u32,
    id: *const c_char,
    version: *const c_char,
    plugin_data: *mut c_void,
    retire: Option<extern "C" fn(*mut c_void)>,
}

#[repr(C)]
pub struct Failure {
    struct_size: u32,
    code: i32,
    message: [u8; 1016],
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

type Run = extern "C" fn(*mut c_void, *const Api, u64, *mut Failure) -> i32;

#[repr(C)]
struct Handler {
    struct_size: u32,
    reserved: u32,
    identifier: *const c_char,
    handler_data: *mut c_void,
    run: Run,
    expired: *const c_void,
}

#[repr(C)]
pub struct Api {
    struct_size: u32,
    abi: u32,
    register_handler: extern "C" fn(*const Api, *const Handler, *mut Failure) -> i32,
    task_info: extern "C" fn(*const Api, u64, *mut TaskInfo) -> i32,
    is_expired: extern "C" fn(*const Api, u64) -> bool,
}

#[repr(C)]
struct Note(u32, u32, u32, [u8; 8], u32, u32);

#[used]
#[link_section = ".note.curfew"]
static NOTE: Note = Note(7, 8, 1, *b"Curfew\0\0", 0, 0);

#[no_mangle]
pub static STRANGER_BUILD: u32 = 20260101;

fn fail(failure: *mut Failure, text: &[u8]) -> i32 {
    let message = unsafe { &mut (*failure).message };
    message[..text.len()].copy_from_slice(text);
    message[text.len()] = 0;
    22
}

extern "C" fn run(_: *mut c_void, api: *const Api, task: u64, failure: *mut Failure) -> i32 {
    let mut info: TaskInfo = unsafe { std::mem::zeroed() };
    info.struct_size = std::mem::size_of::<TaskInfo>() as u32;
    let host = unsafe { &*api };
    if (host.task_info)(api, task, &mut info) != 0 {
        return fail(failure, b"unknown task");
    }
    let payload = match info.payload_bytes {
        0 => &[][..],
        bytes => unsafe { std::slice::from_raw_parts(info.payload, bytes as usize) },
    };
    match payload {
        b"fail" => fail(failure, b"asked to fail"),
        b"slow" => {
            while !(host.is_expired)(api, task) {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            fail(failure, b"told to stop")
        }
        _ => 0,
    }
}

#[no_mangle]
pub extern "C" fn curfew_plugin_entry(
    api: *const Api,
    info: *mut Info,
    failure: *mut Failure,
) -> i32 {
    unsafe { (*info).id = c"org.example.stranger".as_ptr() };
    let handler = Handler {
        struct_size: std::mem::size_of::<Handler>() as u32,
        reserved: 0,
        identifier: c"org.example.stranger.work".as_ptr(),
        handler_data: std::ptr::null_mut(),
        run,
        expired: std::ptr::null(),
    };
    unsafe { ((*api).register_handler)(api, &handler, failure) }
}
