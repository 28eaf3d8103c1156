// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin

/// Reads an RSS or Atom feed and appends its new items to a file.
///
/// Payload, JSON of at most 64 KiB: `{"from": "https://…", "to": "/srv/feeds/example.jsonl"}`.
/// `from` is an address of http or https, or the absolute path of a file; RSS 2.0, 1.0 and the
/// older ones, Atom 1.0 and 0.3.
///
/// - Each new item becomes one line of JSON at the end of the file `to`, older items first:
///   `{"id":"…","link":"…","published":"…","summary":"…","title":"…"}`. The title is text without
///   markup, the link is absolute and of http or https, or empty; the date and the summary are as
///   the feed has them. A summary can be HTML: a reader must sanitise it before showing it.
/// - Items read before are recognised by their id (guid, else link, else title and date), from
///   `to` + `.state`. An item that changes later is not new. `to` may be renamed or removed at any
///   time; the next run starts a new one.
/// - No item is lost or written twice, even when a run is stopped or killed.
/// - The request is conditional (ETag, Last-Modified) only after a run that took every item.
/// - Small faults (a bare `&`, entities of HTML, control characters) are mended. If a document is
///   truncated or stops being XML, the items before that place are written, and the task fails
///   with the line of the fault.
/// - Entities that the document defines are never expanded, and external references never loaded.
///
/// For every new item the event `feed_item(title, link)` is raised once it is on the disk. The
/// result is JSON: `{"new":3,"known":17,"unchanged":false}`; `unchanged` is true when the
/// server answered 304.
struct FeedHandler: TaskHandler {
    func run(_ task: HandlerTask) async throws -> [UInt8] {
        let request = try FeedRequest(payload: task.payload)
        var run = try FeedRun(task, request)
        try run.run()
        return Array(run.summary.json.utf8)
    }
}
