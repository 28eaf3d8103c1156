// SPDX-License-Identifier: Apache-2.0

/// Feeds for tests.
enum SampleFeed {
    static func rss(_ items: String..., head: String = #"<?xml version="1.0"?>"#) -> String {
        rss(items, head: head)
    }

    static func rss(_ items: [String], head: String = #"<?xml version="1.0"?>"#) -> String {
        """
        \(head)
        <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:media="http://search.yahoo.com/mrss/"
            xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
        <title>News</title><link>https://example.org/</link>
        \(items.joined(separator: "\n"))
        </channel></rss>
        """
    }

    /// An item with a title and an id; what more it has.
    static func item(_ title: String, id: String? = nil, more: String = "") -> String {
        """
        <item><title>\(title)</title><guid isPermaLink="false">\(id ?? title)</guid>\(more)</item>
        """
    }

    static func many(_ count: Int) -> String {
        rss((1...count).map { item("news \($0)", more: "<link>https://example.org/\($0)</link>") })
    }
}
