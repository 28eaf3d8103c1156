// SPDX-License-Identifier: Apache-2.0
//! A plugin in Rust without a crate: what it needs of curfew/plugin.h is written down here, and no
//! panic leaves it.
use std::os::raw::{c_char, c_void};
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

type Status = i32;
const OK: Status = 0;
const FAILED: Status = 22;

#[repr(C)]
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
pub struct Error {
    struct_size: u32,
    code: Status,
    message: [u8; 1016],
}

#[repr(C)]
struct Handler {
    struct_size: u32,
    reserved: u32,
    identifier: *const c_char,
    handler_data: *mut c_void,
    run: Option<unsafe extern "C" fn(*mut c_void, *const HostApi, u64, *mut Error) -> Status>,
    expired: Option<unsafe extern "C" fn(*mut c_void, *const HostApi, u64, i32)>,
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

/// The table as far as it is used here; it goes on.
#[repr(C)]
pub struct HostApi {
    struct_size: u32,
    abi: u32,
    register_handler:
        unsafe extern "C" fn(*const HostApi, *const Handler, *mut Error) -> Status,
    task_info: unsafe extern "C" fn(*const HostApi, u64, *mut TaskInfo) -> Status,
    is_expired: unsafe extern "C" fn(*const HostApi, u64) -> bool,
}

/// A status and the text for it.
struct Failure(Status, &'static str);

fn text(bytes: &'static [u8]) -> *const c_char {
    bytes.as_ptr() as *const c_char
}

fn size_of<Struct>() -> u32 {
    std::mem::size_of::<Struct>() as u32
}

/// Turns what a function of the plugin came to, a panic too, into what the host understands.
unsafe fn answer(outcome: std::thread::Result<Result<(), Failure>>, error: *mut Error) -> Status {
    let Failure(status, text) = match outcome {
        Ok(Ok(())) => return OK,
        Ok(Err(failure)) => failure,
        Err(_) => Failure(FAILED, "the plugin panicked"),
    };
    let message = std::ptr::addr_of_mut!((*error).message) as *mut u8;
    let count = text.len().min(1015);
    std::ptr::copy_nonoverlapping(text.as_ptr(), message, count);
    *message.add(count) = 0;
    status
}

unsafe fn work(api: *const HostApi, task: u64) -> Result<(), Failure> {
    let mut info: TaskInfo = std::mem::zeroed();
    info.struct_size = size_of::<TaskInfo>();
    let known = ((*api).task_info)(api, task, &mut info);
    if known != OK {
        return Err(Failure(known, "the host does not know the task"));
    }
    let payload: &[u8] = match info.payload_bytes {
        0 => &[],
        count => std::slice::from_raw_parts(info.payload, count as usize),
    };
    match payload {
        b"fail" => Err(Failure(FAILED, "the payload says so")),
        b"slow" => {
            let end = Instant::now() + Duration::from_secs(20);
            while !((*api).is_expired)(api, task) && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(Failure(FAILED, "stopped"))
        }
        _ => Ok(()),
    }
}

unsafe extern "C" fn run(
    _: *mut c_void, api: *const HostApi, task: u64, error: *mut Error,
) -> Status {
    answer(catch_unwind(|| work(api, task)), error)
}

/// The entry.
///
/// # Safety
/// For the host only, with what the header says.
#[no_mangle]
pub unsafe extern "C" fn curfew_plugin_entry(
    api: *const HostApi, info: *mut PluginInfo, error: *mut Error,
) -> Status {
    (*info).id = text(b"org.example.rust-plugin\0");
    (*info).version = text(b"1.0.0\0");
    let handler = Handler {
        struct_size: size_of::<Handler>(),
        reserved: 0,
        identifier: text(b"org.example.rust\0"),
        handler_data: std::ptr::null_mut(),
        run: Some(run),
        expired: None,
    };
    let outcome = match ((*api).register_handler)(api, &handler, error) {
        OK => Ok(()),
        status => Err(Failure(status, "the host does not take the handler")),
    };
    answer(Ok(outcome), error)
}
