// SPDX-License-Identifier: Apache-2.0

/// The result of the task.
struct MirrorSummary {
    /// The number of files and links written.
    var copied = 0
    /// The number of files and links that were up to date.
    var unchanged = 0
    /// The number of sockets, pipes, devices, temporary files and entries that vanished.
    var skipped = 0
    /// The bytes of content written.
    var bytes: Int64 = 0

    var json: String {
        #"{"copied":\#(copied),"unchanged":\#(unchanged),"skipped":\#(skipped),"bytes":\#(bytes)}"#
    }
}
