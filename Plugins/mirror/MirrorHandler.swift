// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin

/// Copies the changed files of a directory tree to another place.
///
/// Payload, JSON of at most 64 KiB, absolute paths: `{"from": "/srv/a", "to": "/backup/a"}`.
///
/// - A file is copied when its size or modification time (in nanoseconds) differs from its copy's,
///   under a temporary name that is renamed when everything is on the disk. So a copy is the old
///   file or the complete new one at any moment.
/// - Permissions and modification times are kept; owners, set-id and sticky bits, hard links,
///   access lists and extended attributes are not. `to` itself, if it existed, keeps its
///   permissions.
/// - Symbolic links are copied as links and never followed, on either side. Sockets, pipes, devices
///   and entries that vanish meanwhile are skipped and counted.
/// - Entries that only the target has stay: nothing is deleted, except the temporary files that a
///   killed run left.
/// - If an entry cannot be copied, the rest is still copied, and the task fails.
/// - A file that is written to while it is copied is copied again by the next run.
///
/// A run that has to stop does so between two files, or inside a large one, and the next run
/// continues: finished files are up to date then. For every copied file the event
/// `mirror_copied(path, bytes)` is raised, with the path below `from`. The result is JSON:
/// `{"copied":3,"unchanged":477,"skipped":0,"bytes":40960}`.
struct MirrorHandler: TaskHandler {
    func run(_ task: HandlerTask) async throws -> [UInt8] {
        let request = try MirrorRequest(payload: task.payload)
        let roots = try TreeRoots(request)
        var copy = TreeCopy(task, roots)
        try copy.run()
        return Array(copy.summary.json.utf8)
    }
}
