// SPDX-License-Identifier: Apache-2.0
//! Finds the lines of a file that have a word in them, a log's for instance.
//!
//! Payload: two lines, the word and the absolute path of the file. For each line that is found the
//! event sample_found(number, line) is raised; the result is their count.
use curfew::{Failure, Task, Value};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;

/// A longer line is taken for several.
const LINE_LIMIT: u64 = 4096;
const O_NONBLOCK: i32 = 0o4000;

curfew::plugin! {
    "org.example.sample" => find,
}

/// Reads the payload: a word, and the path of a file.
fn request(payload: &[u8]) -> Option<(&[u8], &str)> {
    let mut lines = payload.split(|byte| *byte == b'\n');
    let word = lines.next().filter(|word| !word.is_empty())?;
    let path = std::str::from_utf8(lines.next()?).ok()?;
    path.starts_with('/').then(|| (word, path))
}

// A call that waits for others (a pipe's writer, a server) does not see is_expired: use those that
// do not wait.
fn open(path: &str) -> Result<(File, u64), Failure> {
    let file = OpenOptions::new().read(true).custom_flags(O_NONBLOCK).open(path);
    // The text of a failure is all that people see of it: what, where, what to do next.
    let fail = |error| format!("could not open {path}: {error}");
    let file = file.map_err(fail)?;
    let size = file.metadata().map_err(fail)?.len();
    Ok((file, size))
}

fn find(task: &Task) -> Result<Vec<u8>, Failure> {
    let (word, path) = request(task.payload())
        .ok_or("the payload must be two lines, a word and the absolute path of a file")?;
    let (file, size) = open(path)?;
    let mut reader = BufReader::new(file);
    let (mut number, mut found, mut bytes, mut reported) = (0i64, 0i64, 0u64, 0u64);
    let mut line = Vec::new();
    loop {
        // One load: cheap enough for every line. After it the task has its grace to return.
        if task.is_expired() {
            return Err(
                format!("told to stop after line {number}; {found} were found until then").into()
            );
        }
        line.clear();
        reader
            .by_ref()
            .take(LINE_LIMIT)
            .read_until(b'\n', &mut line)
            .map_err(|error| format!("could not read past line {number}: {error}"))?;
        if line.is_empty() {
            break;
        }
        number += 1;
        bytes += line.len() as u64;
        if line.windows(word.len()).any(|part| part == word) {
            found += 1;
            let text = String::from_utf8_lossy(&line);
            // A full queue is no reason to give up the work.
            let _ = task.raise(
                "sample_found",
                &[Value::Int64(number), Value::Text(text.trim_end_matches('\n'))],
            );
        }
        if size > 0 && bytes - reported > size / 100 {
            reported = bytes;
            task.progress((bytes as f64 / size as f64).min(1.0), "reading");
        }
    }
    task.progress(1.0, "read");
    // The result of the task; an empty one is none.
    Ok(found.to_string().into_bytes())
}
