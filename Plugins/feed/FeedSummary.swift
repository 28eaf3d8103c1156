// SPDX-License-Identifier: Apache-2.0

/// The result of the task.
struct FeedSummary {
    /// Items that were written.
    var new = 0
    /// Items of the document that were written by an earlier run, or stand in it twice.
    var known = 0
    /// The server said that nothing has changed since the last run.
    var unchanged = false

    var json: String { #"{"new":\#(new),"known":\#(known),"unchanged":\#(unchanged)}"# }
}
