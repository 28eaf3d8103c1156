// SPDX-License-Identifier: Apache-2.0

/// What a server calls the version of a document that it sent: nothing, one or both.
struct FeedVersion: Codable {
    var etag: String?
    var lastModified: String?

    var isEmpty: Bool { etag == nil && lastModified == nil }

    /// Only what can be sent back in a header, whoever wrote it.
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
