// SPDX-License-Identifier: Apache-2.0

/// A feed as it came from a server or a file.
struct FeedDocument {
    var bytes: [UInt8]
    /// The content type of the server: `application/rss+xml; charset=utf-8`.
    var contentType = ""
    /// The base of relative links; empty for a file.
    var address = ""
    /// By which the server knows this version.
    var version = FeedVersion()

    /// Feeds of thousands of items have a tenth of this.
    static var limit: Int { 16 << 20 }
    static var tooLarge: String { "it has more than \(limit >> 20) MiB" }
}
