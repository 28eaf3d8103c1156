// SPDX-License-Identifier: Apache-2.0

/// The validators that a server sent with a document: none, one or both.
struct FeedVersion: Codable {
    var etag: String?
    var lastModified: String?

    var isEmpty: Bool { etag == nil && lastModified == nil }

    /// The parts that are safe to send back in a header; the state file may have been edited.
    var sendable: FeedVersion {
        func checked(_ text: String?) -> String? {
            text.flatMap { text in
                let isFine = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
                return isFine && !text.isEmpty && text.utf8.count <= 1_024 ? text : nil
            }
        }
        return FeedVersion(etag: checked(etag), lastModified: checked(lastModified))
    }
}
