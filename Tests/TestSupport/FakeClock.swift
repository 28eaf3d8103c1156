// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What libfaketime leaves behind in /dev/shm: two objects of each process that has loaded it, by the
/// number of the process. A later process with that number does not start with them in place.
public enum FakeClock {
    /// Removes those of processes that are over.
    public static func forgetEnded() {
        let directory = "/dev/shm"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names where name.contains("faketime_s") {
            let number = name.split(separator: "_").last.flatMap { pid_t($0) } ?? 0
            if number > 0, kill(number, 0) != 0, errno == ESRCH { unlink("\(directory)/\(name)") }
        }
    }
}
