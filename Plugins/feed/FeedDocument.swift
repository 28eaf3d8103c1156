// SPDX-License-Identifier: Apache-2.0

/// A feed as received from a server or read from a file.
struct FeedDocument {
    var bytes: [UInt8]
    /// The content type of the server: `application/rss+xml; charset=utf-8`.
    var contentType = ""
    /// The base of relative links; empty for a file.
    var address = ""
    /// The server's validators for this version.
    var version = FeedVersion()

    /// The most bytes of a document. Feeds of thousands of items have a tenth of this.
    static var limit: Int { 16 << 20 }
    static var tooLarge: String { "it has more than \(limit >> 20) MiB" }
}
