// SPDX-License-Identifier: Apache-2.0

/// The result of the task.
struct MirrorSummary {
    /// Files and links that were written.
    var copied = 0
    /// Files and links that were up to date.
    var unchanged = 0
    /// Sockets, pipes, devices, another run's temporary files, and what vanished meanwhile.
    var skipped = 0
    /// Content that was written.
    var bytes: Int64 = 0

    var json: String {
        #"{"copied":\#(copied),"unchanged":\#(unchanged),"skipped":\#(skipped),"bytes":\#(bytes)}"#
    }
}
