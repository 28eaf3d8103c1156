// SPDX-License-Identifier: Apache-2.0
//! Plugins for Curfew in Rust. [`plugin!`] registers functions as handlers:
//!
//! ```ignore
//! curfew::plugin! { "org.example.tidy" => tidy }
//!
//! fn tidy(task: &curfew::Task) -> Result<Vec<u8>, curfew::Failure> {
//!     task.submit_next(&curfew::Request::after(Duration::from_secs(86_400)))?;
//!     while work_is_left() && !task.is_expired() { do_some_work()?; }
//!     Ok(b"all is tidy".to_vec())
//! }
//! ```
//!
//! An error, or a panic, of a handler is the failure of its task; neither leaves the plugin.
pub mod ffi;

use std::ffi::{CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Why a task failed, or what the host refused: a status of `curfew/types.h` and a text.
#[derive(Debug, Clone)]
pub struct Failure {
    pub status: i32,
    pub text: String,
}

impl Failure {
    pub fn new(status: i32, text: impl Into<String>) -> Failure {
        Failure { status, text: text.into() }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for Failure {}

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure::new(ffi::FAILED, text)
    }
}

impl From<&str> for Failure {
    fn from(text: &str) -> Failure {
        Failure::new(ffi::FAILED, text)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::new(ffi::FAILED, error.to_string())
    }
}

/// A value of an event.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    Bool(bool),
    Int32(i32),
    Int64(i64),
    Double(f64),
    Text(&'a str),
}

/// Why a task has to stop; see `curfew_reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Budget,
    Condition,
    Host,
    Cancelled,
    Shutdown,
    /// One of a newer host.
    Other(i32),
}

impl Reason {
    fn new(number: i32) -> Reason {
        match number {
            1 => Reason::Budget,
            2 => Reason::Condition,
            3 => Reason::Host,
            4 => Reason::Cancelled,
            5 => Reason::Shutdown,
            other => Reason::Other(other),
        }
    }
}

/// A request for a launch; see `curfew_submit_options`.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// From now, on the host's clock.
    pub after: Duration,
    pub needs_network: bool,
    pub needs_external_power: bool,
    /// Launches in all, until one succeeds; 0 is 1.
    pub attempts: u32,
    /// Returns a pending request of the handler, if there is one, and drops this one.
    pub keeps_pending: bool,
    /// An idempotency key: submitting it again returns the existing request.
    pub key: Option<String>,
    pub payload: Vec<u8>,
}

impl Request {
    /// A request for a launch after some time, on the host's clock.
    pub fn after(after: Duration) -> Request {
        Request { after, ..Request::default() }
    }
}

/// The task that a handler works on.
pub struct Task {
    api: *const ffi::HostApi,
    id: u64,
    info: ffi::TaskInfo,
}

// The host's table may be used from any thread.
unsafe impl Send for Task {}
unsafe impl Sync for Task {}

impl Task {
    unsafe fn new(api: *const ffi::HostApi, id: u64) -> Result<Task, Failure> {
        let mut info: ffi::TaskInfo = std::mem::zeroed();
        info.struct_size = ffi::size_of::<ffi::TaskInfo>();
        match ((*api).task_info)(api, id, &mut info) {
            ffi::OK => Ok(Task { api, id, info }),
            status => Err(Failure::new(status, "the host does not know the task")),
        }
    }

    fn table(&self) -> &ffi::HostApi {
        // The table stays for the life of the process.
        unsafe { &*self.api }
    }

    /// The identifier of the handler.
    pub fn identifier(&self) -> &str {
        // The host checks that it is ASCII.
        unsafe { CStr::from_ptr(self.info.identifier) }.to_str().unwrap_or("")
    }

    /// 1 for the first launch of a request, then 2, …
    pub fn attempt(&self) -> u32 {
        self.info.attempt
    }

    /// The bytes that the task was launched with.
    pub fn payload(&self) -> &[u8] {
        match self.info.payload_bytes {
            0 => &[],
            // Readable until the function of the task has returned, which this borrow does not
            // outlive.
            count => unsafe { std::slice::from_raw_parts(self.info.payload, count as usize) },
        }
    }

    /// Whether the task should stop. Costs one load: call it in loops.
    pub fn is_expired(&self) -> bool {
        unsafe { (self.table().is_expired)(self.api, self.id) }
    }

    /// The rest of the budget.
    pub fn remaining(&self) -> Duration {
        Duration::from_nanos(unsafe { (self.table().remaining_ns)(self.api, self.id) })
    }

    /// Reports progress, a fraction in 0…1.
    pub fn progress(&self, fraction: f64, text: &str) {
        let bytes = text.len() as u64;
        unsafe { (self.table().progress)(self.api, self.id, fraction, text.as_ptr(), bytes) };
    }

    /// Writes a line to the host's log.
    pub fn log(&self, text: &str) {
        let bytes = text.len() as u64;
        unsafe { (self.table().log)(self.api, self.id, ffi::LOG_INFO, text.as_ptr(), bytes) };
    }

    /// Raises an event that the manifest declares.
    pub fn raise(&self, event: &str, values: &[Value]) -> Result<(), Failure> {
        let name = c_text(event)?;
        let values: Vec<ffi::Value> = values.iter().map(ffi::Value::new).collect();
        let count = values.len() as u32;
        let status = unsafe {
            (self.table().raise)(self.api, self.id, name.as_ptr(), values.as_ptr(), count)
        };
        check(status, || format!("{event} was not raised"))
    }

    /// Submits a request for a handler of this plugin. Returns its number once it is durable.
    pub fn submit(&self, identifier: &str, request: &Request) -> Result<u64, Failure> {
        let name = c_text(identifier)?;
        let key = request.key.as_deref().map(c_text).transpose()?;
        let mut options: ffi::SubmitOptions = unsafe { std::mem::zeroed() };
        options.struct_size = ffi::size_of::<ffi::SubmitOptions>();
        options.after_ns = request.after.as_nanos().min(i64::MAX as u128) as u64;
        options.needs =
            request.needs_network as u32 | (request.needs_external_power as u32) << 1;
        options.attempts = request.attempts;
        options.on_pending = if request.keeps_pending { ffi::ON_PENDING_KEEP } else { 0 };
        options.key = key.as_ref().map_or(std::ptr::null(), |key| key.as_ptr());
        options.payload = request.payload.as_ptr();
        options.payload_bytes = request.payload.len() as u64;
        let mut number = 0;
        let mut error = ffi::Error::new();
        let status = unsafe {
            let requests = self.requests()?;
            (requests.submit)(self.api, name.as_ptr(), &options, &mut number, &mut error)
        };
        check(status, || error.text())?;
        Ok(number)
    }

    /// Submits the next run of this task's handler, with this task's payload unless `next` has
    /// one. A run that is pending already is kept and returned, so that each attempt may call it:
    /// call it first, and the next run comes also where this attempt fails.
    pub fn submit_next(&self, next: &Request) -> Result<u64, Failure> {
        let mut next = Request { keeps_pending: true, ..next.clone() };
        if next.payload.is_empty() {
            next.payload = self.payload().to_vec();
        }
        self.submit(self.identifier(), &next)
    }

    /// The date of the host's clock, which a simulation may have set.
    pub fn now(&self) -> Result<SystemTime, Failure> {
        let date = unsafe { (self.requests()?.get_wall_ns)(self.api) };
        Ok(UNIX_EPOCH + Duration::from_nanos(date.max(0) as u64))
    }

    fn requests(&self) -> Result<&ffi::Requests, Failure> {
        let id = b"curfew.requests/1\0".as_ptr().cast();
        let found = unsafe { (self.table().extension)(self.api, id) } as *const ffi::Requests;
        // A static struct of the host's.
        unsafe { found.as_ref() }
            .filter(|found| found.struct_size >= ffi::size_of::<ffi::Requests>())
            .ok_or_else(|| "the host has no requests, or is too old".into())
    }

    fn succeed(&self, result: &[u8]) -> Result<(), Failure> {
        if result.is_empty() {
            return Ok(());
        }
        let (none, bytes) = (std::ptr::null(), result.len() as u64);
        let status = unsafe {
            (self.table().complete)(self.api, self.id, ffi::OK, none, 0, result.as_ptr(), bytes)
        };
        match status {
            // It had to stop, and its outcome says so.
            ffi::LATE | ffi::EXPIRED => Ok(()),
            status => check(status, || "the result was not accepted".to_string()),
        }
    }
}

fn check(status: i32, text: impl FnOnce() -> String) -> Result<(), Failure> {
    match status {
        ffi::OK => Ok(()),
        status => Err(Failure::new(status, text())),
    }
}

fn c_text(text: &str) -> Result<CString, Failure> {
    CString::new(text).map_err(|_| format!("there is a NUL in {text:?}").into())
}

/// A handler of [`plugin!`].
pub struct Handler {
    /// Ends with NUL.
    pub identifier: &'static str,
    pub run: fn(&Task) -> Result<Vec<u8>, Failure>,
    pub expired: Option<fn(&Task, Reason)>,
}

/// Turns the outcome of a function, a panic too, into a status and a text.
unsafe fn answer(outcome: std::thread::Result<Result<(), Failure>>, error: *mut ffi::Error) -> i32 {
    let failure = match outcome {
        Ok(Ok(())) => return ffi::OK,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Failure::from(format!("the handler panicked: {}", text.unwrap_or("no text")))
        }
    };
    (*error).write(&failure.text);
    if failure.status == ffi::OK { ffi::FAILED } else { failure.status }
}

unsafe extern "C" fn run(
    data: *mut std::ffi::c_void, api: *const ffi::HostApi, id: u64, error: *mut ffi::Error,
) -> i32 {
    let handler = &*(data as *const Handler);
    let work = || {
        let task = Task::new(api, id)?;
        task.succeed(&(handler.run)(&task)?)
    };
    answer(catch_unwind(AssertUnwindSafe(work)), error)
}

unsafe extern "C" fn expired(
    data: *mut std::ffi::c_void, api: *const ffi::HostApi, id: u64, reason: i32,
) {
    let handler = &*(data as *const Handler);
    let work = || {
        if let (Some(expired), Ok(task)) = (handler.expired, Task::new(api, id)) {
            expired(&task, Reason::new(reason));
        }
    };
    // The task has its outcome from the function that does its work.
    let _ = catch_unwind(AssertUnwindSafe(work));
}

/// Registers the handlers of a plugin, for [`plugin!`].
///
/// # Safety
/// Only for the entry of a plugin, with the pointers that the host passes to it.
pub unsafe fn register(
    api: *const ffi::HostApi, handlers: &'static [Handler], error: *mut ffi::Error,
) -> i32 {
    for each in handlers {
        let handler = ffi::Handler {
            struct_size: ffi::size_of::<ffi::Handler>(),
            reserved: 0,
            identifier: each.identifier.as_ptr().cast(),
            handler_data: each as *const Handler as *mut std::ffi::c_void,
            run: Some(run),
            expired: each.expired.map(|_| expired as ffi::Expired),
        };
        let status = ((*api).register_handler)(api, &handler, error);
        if status != ffi::OK {
            return status;
        }
    }
    ffi::OK
}

/// Makes the library a plugin with these handlers: `plugin! { "org.example.tidy" => tidy }`.
///
/// `"org.example.tidy" => tidy, expired stop` adds a function, `fn stop(&Task, Reason)`, that is
/// called once, on another thread beside `tidy`, when a task has to stop: interrupt there what does
/// not ask `is_expired`.
#[macro_export]
macro_rules! plugin {
    ($($identifier:literal => $run:path $(, expired $expired:path)?),+ $(,)?) => {
        #[used]
        #[link_section = ".note.curfew"]
        static CURFEW_NOTE: $crate::ffi::Note = $crate::ffi::NOTE;

        static CURFEW_HANDLERS: &[$crate::Handler] = &[$(
            $crate::Handler {
                identifier: concat!($identifier, "\0"),
                run: $run,
                expired: $crate::expiration!($($expired)?),
            }
        ),+];

        /// The entry of the plugin.
        ///
        /// # Safety
        /// For the host only, with what the header says.
        #[no_mangle]
        pub unsafe extern "C" fn curfew_plugin_entry(
            api: *const $crate::ffi::HostApi, _: *mut std::ffi::c_void,
            error: *mut $crate::ffi::Error,
        ) -> i32 {
            $crate::register(api, CURFEW_HANDLERS, error)
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! expiration {
    () => { None };
    ($expired:path) => { Some($expired) };
}
