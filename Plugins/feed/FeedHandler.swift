// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin

/// Reads an RSS or Atom feed and writes down what is new in it.
///
/// Payload, JSON of at most 64 KiB: `{"from": "https://…", "to": "/srv/feeds/example.jsonl"}`.
/// `from` is an address of http or https, or the absolute path of a file; RSS 2.0, 1.0 and the
/// older ones, Atom 1.0 and 0.3.
///
/// - Each new item becomes one line of JSON at the end of the file `to`, older items first:
///   `{"id":"…","link":"…","published":"…","summary":"…","title":"…"}`. The title is text without
///   markup, the link is absolute and of http or https, or empty; the date and the summary are as
///   the feed has them, and a summary can be HTML: whoever shows it has to make it harmless.
/// - What was read before is known by its id (guid, else link, else title and date), from
///   `to` + `.state`. An item that changes later is not new. `to` may be renamed or removed at any
///   time; the next run starts a new one.
/// - No item is lost or written twice, whenever a run is stopped or killed.
/// - A server is asked whether there is anything new (ETag, Last-Modified), only after a run that
///   had taken everything.
/// - A document with small faults (a bare `&`, entities of HTML, control characters) is mended. Of
///   one that is cut off or not XML from some place on, the items before it are taken, the task
///   fails and says where.
/// - No entity that the document defines is ever expanded, and nothing it refers to is loaded.
///
/// For every new item the event `feed_item(title, link)` is raised once it is on the disk. The
/// result is JSON: `{"new":3,"known":17,"unchanged":false}`; `unchanged` is the server's word.
struct FeedHandler: TaskHandler {
    func run(_ task: HandlerTask) async throws -> [UInt8] {
        let request = try FeedRequest(payload: task.payload)
        var run = try FeedRun(task, request)
        try run.run()
        return Array(run.summary.json.utf8)
    }
}
