// SPDX-License-Identifier: Apache-2.0

/// The result of the task.
struct FeedSummary {
    /// The number of items written.
    var new = 0
    /// The number of items that an earlier run wrote, or that the document repeats.
    var known = 0
    /// The server answered that nothing changed since the last run.
    var unchanged = false

    var json: String { #"{"new":\#(new),"known":\#(known),"unchanged":\#(unchanged)}"# }
}
