// SPDX-License-Identifier: Apache-2.0
//! Embeds Curfew in Rust: two hosts at once, whose events come on Curfew's threads.
//!
//!     embedder PLUGINS TEST_PLUGINS SCRATCH
//!
//! It needs what bindgen makes of the headers, and no crate:
//!
//!     bindgen $PREFIX/include/curfew/curfew.h -o curfew.rs
//!     CURFEW_BINDINGS=$PWD/curfew.rs rustc --edition 2021 -L $PREFIX/lib -l curfew embedder.rs
//!
//! What it does, and what it prints, is told in ../README.md.

#[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
mod curfew {
    include!(env!("CURFEW_BINDINGS"));
}

use curfew::*;
use std::collections::HashMap;
use std::ffi::{c_void, CStr, CString};
use std::fmt;
use std::mem::{size_of, zeroed};
use std::ptr::{null, null_mut};
use std::slice;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// A struct of the headers, which says how large it is.
macro_rules! sized {
    ($name:ty { $($member:ident: $value:expr),* $(,)? }) => {{
        // All of them are plain data, and zero means "the default".
        let mut made: $name = unsafe { zeroed() };
        made.struct_size = size_of::<$name>() as u32;
        $(made.$member = $value;)*
        made
    }};
}

/// What a host refused.
struct Refusal {
    status: curfew_status,
    message: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} ({})", self.message, status_text(self.status))
    }
}

impl fmt::Debug for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

fn text(pointer: *const std::os::raw::c_char) -> String {
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

fn status_text(status: curfew_status) -> String {
    text(unsafe { curfew_status_text(status) })
}

/// bindgen makes u32 of the constants, and a status is an i32.
const OK: curfew_status = CURFEW_OK as curfew_status;

/// Calls what takes a curfew_error.
fn call(body: impl FnOnce(*mut curfew_error) -> curfew_status) -> Result<(), Refusal> {
    let mut error = sized!(curfew_error {});
    match body(&mut error) {
        OK => Ok(()),
        status => Err(Refusal { status, message: text(error.message.as_ptr()) }),
    }
}

/// What was heard of one task.
#[derive(Clone, Default)]
struct Story {
    progress: f64,
    expired: bool,
    done: Option<(bool, String)>,
}

/// What the thread that turns the loop tells the others.
#[derive(Default)]
struct Ear {
    stories: Mutex<HashMap<curfew_task, Story>>,
    changed: Condvar,
}

impl Ear {
    fn note(&self, event: &curfew_event) {
        if event.task == 0 {
            return;
        }
        let selector = text(event.selector);
        // Values are as far from each other as their struct_size says, which may grow one day.
        let value = |at: usize| unsafe {
            let size = (*event.values).struct_size as usize;
            &*(event.values as *const u8).add(at * size).cast::<curfew_value>()
        };
        let mut stories = self.stories.lock().unwrap();
        let story = stories.entry(event.task).or_default();
        if selector.ends_with("_progress::") {
            story.progress = story.progress.max(value(0).number);
        } else if selector.ends_with("_expired") {
            story.expired = true;
        } else if selector.ends_with("_done::") {
            let bytes = unsafe {
                slice::from_raw_parts(value(1).text.cast::<u8>(), value(1).text_bytes as usize)
            };
            let words = String::from_utf8_lossy(bytes).into_owned();
            story.done = Some((value(0).integer != 0, words));
            self.changed.notify_all();
        }
    }
}

/// A panic must not go on into C: where it would, the process ends.
unsafe extern "C" fn hear(event_data: *mut c_void, event: *const curfew_event) {
    let heard = std::panic::catch_unwind(|| (*event_data.cast::<Ear>()).note(&*event));
    if heard.is_err() {
        std::process::abort();
    }
}

struct Host {
    name: &'static str,
    handle: *mut curfew_host,
    ear: Arc<Ear>,
}

impl Host {
    fn new(name: &'static str) -> Result<Host, Refusal> {
        let mut handle = null_mut();
        call(|error| unsafe { curfew_host_create(null(), &mut handle, error) })?;
        let host = Host { name, handle, ear: Arc::default() };
        let ear = Arc::as_ptr(&host.ear) as *mut c_void;
        call(|error| unsafe {
            curfew_host_observe(handle, null(), Some(hear), ear, null_mut(), error)
        })?;
        Ok(host)
    }

    fn load(&self, directory: String) -> Result<(), Refusal> {
        let directory = CString::new(directory).unwrap();
        call(|error| unsafe { curfew_host_load_plugin(self.handle, directory.as_ptr(), error) })
    }

    fn launch(&self, identifier: &str, payload: &str) -> Result<curfew_task, Refusal> {
        let identifier = CString::new(identifier).unwrap();
        let options = sized!(curfew_launch_options {
            keep: true,
            payload: payload.as_ptr().cast(),
            payload_bytes: payload.len() as u64,
        });
        let mut task = 0;
        call(|error| unsafe {
            curfew_host_launch(self.handle, identifier.as_ptr(), &options, &mut task, error)
        })?;
        Ok(task)
    }

    fn mirror(&self, scratch: &str) -> Result<curfew_task, Refusal> {
        let place = format!("{scratch}/{}", self.name);
        let payload = format!(r#"{{"from": "{place}/from", "to": "{place}/to"}}"#);
        self.launch("org.curfew.mirror", &payload)
    }

    fn result(&self, task: curfew_task) -> Vec<u8> {
        let mut bytes = 0;
        unsafe { curfew_host_read_task_result(self.handle, task, null_mut(), 0, &mut bytes, null_mut()) };
        let mut result = vec![0u8; bytes as usize];
        let status = unsafe {
            let buffer = result.as_mut_ptr().cast();
            curfew_host_read_task_result(self.handle, task, buffer, bytes, &mut bytes, null_mut())
        };
        assert_eq!(status, OK, "{}", status_text(status));
        result
    }

    fn refuses(&self, name: &str, identifier: &str) {
        match self.launch(identifier, "") {
            Ok(_) => panic!("{identifier} was launched"),
            Err(refusal) => println!("{}: {name}: {}", self.name, status_text(refusal.status)),
        }
    }

    /// Waits for a task's done event, and tells all that was heard of the task.
    fn tell(&self, name: &str, task: curfew_task) {
        let stories = self.ear.stories.lock().unwrap();
        let is_open = |stories: &mut HashMap<curfew_task, Story>| {
            stories.get(&task).map_or(true, |story| story.done.is_none())
        };
        let (stories, wait) = self.ear.changed.wait_timeout_while(stories, LIMIT, is_open).unwrap();
        assert!(!wait.timed_out(), "no done event came in time");
        let story = stories[&task].clone();
        drop(stories);
        let mut words = Vec::new();
        if story.progress > 0.0 {
            words.push(format!("progress to {}", story.progress));
        }
        if story.expired {
            words.push("expired".to_string());
        }
        let (success, text) = story.done.unwrap();
        words.push(format!("done({success}, \"{text}\")"));
        let result = String::from_utf8(self.result(task)).unwrap();
        if result.contains("copied") {
            words.push(result);
        }
        assert_eq!(unsafe { curfew_host_release_task(self.handle, task, null_mut()) }, OK);
        println!("{}: {name}: {}", self.name, words.join(", "));
    }

    fn shut_down(&self) -> Result<(), Refusal> {
        call(|error| unsafe { curfew_host_shutdown(self.handle, null(), error) })?;
        let stories = self.ear.stories.lock().unwrap();
        let done = stories.values().filter(|story| story.done.is_some()).count();
        println!("{}: shut down after {done} done events", self.name);
        Ok(())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // After it nothing of the host's runs, so the ear may go; where a function did not come
        // back, events might.
        let status = unsafe { curfew_host_destroy(self.handle, null(), null_mut()) };
        if status != OK {
            std::mem::forget(self.ear.clone());
        }
    }
}

fn run(plugins: &str, test_plugins: &str, scratch: &str) -> Result<(), Refusal> {
    let (one, two) = (Host::new("one")?, Host::new("two")?);
    for host in [&one, &two] {
        host.load(format!("{plugins}/sqlite-care"))?;
        host.load(format!("{plugins}/mirror"))?;
        host.load(format!("{test_plugins}/patient"))?;
        println!("{}: loaded sqlite-care, mirror, patient", host.name);
        host.refuses("nobody", "org.example.nobody");
    }
    let mut tasks = Vec::new();
    for host in [&one, &two] {
        let database = format!(r#"{{"database": "{scratch}/{}/notes.db"}}"#, host.name);
        let wrong = r#"{"from": "here", "to": "/there"}"#;
        tasks.push((host, "sqlite-care", host.launch("org.curfew.sqlite-care", &database)?));
        tasks.push((host, "mirror", host.mirror(scratch)?));
        tasks.push((host, "mirror", host.launch("org.curfew.mirror", wrong)?));
        tasks.push((host, "patient", host.launch("org.curfew.test.patient", "")?));
    }
    for (host, name, task) in tasks {
        host.tell(name, task);
    }
    two.shut_down()?;
    two.refuses("mirror", "org.curfew.mirror");
    one.tell("mirror", one.mirror(scratch)?);
    one.shut_down()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (plugins, test_plugins, scratch) = match arguments.as_slice() {
        [plugins, test_plugins, scratch] => (plugins, test_plugins, scratch),
        _ => {
            eprintln!("usage: embedder PLUGINS TEST_PLUGINS SCRATCH");
            std::process::exit(2);
        }
    };
    if let Err(refusal) = run(plugins, test_plugins, scratch) {
        eprintln!("embedder: {refusal}");
        std::process::exit(1);
    }
}
