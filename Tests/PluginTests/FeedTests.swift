// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("The feed plugin reads what is new")
struct FeedTests {
    let place: FeedPlace

    init() throws {
        place = try FeedPlace()
    }

    @Test("of RSS 2.0, older items first, with an event each, and nothing twice")
    func rss() throws {
        let first = """
            <item><title>One</title><link>https://example.org/1</link><guid>urn:1</guid>
            <pubDate>Mon, 06 Sep 2021 00:01:00 +0000</pubDate>
            <description>The &lt;b&gt;first&lt;/b&gt;.</description>
            <media:title>not this</media:title></item>
            """
        let address = try place.server.answer("feed", SampleFeed.rss(first))
        let run = try place.run(from: address)
        #expect(run.outcome == "succeeded", "\(run)")
        #expect(run.result == #"{"new":1,"known":0,"unchanged":false}"#)
        #expect(
            try place.items() == [
                [
                    "id": "urn:1", "title": "One", "link": "https://example.org/1",
                    "published": "Mon, 06 Sep 2021 00:01:00 +0000",
                    "summary": "The <b>first</b>.",
                ]
            ])
        #expect(run.raised("feed_item").map { $0[0] as? String } == ["One"])
        #expect(run.raised("feed_item").map { $0[1] as? String } == ["https://example.org/1"])
        #expect(run.progress.last == 1)

        try place.server.answer(
            "feed", SampleFeed.rss(SampleFeed.item("Three"), SampleFeed.item("Two"), first))
        let second = try place.run(from: address)
        #expect(second.result == #"{"new":2,"known":1,"unchanged":false}"#, "\(second)")
        #expect(try place.texts("title") == ["One", "Two", "Three"])
        #expect(second.raised("feed_item").map { $0[0] as? String } == ["Two", "Three"])
    }

    @Test("of RSS 1.0, whose items stand beside the channel")
    func rdf() throws {
        let address = try place.server.answer(
            "feed",
            """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
                xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
            <channel rdf:about="https://example.org/"><title>News</title></channel>
            <item rdf:about="urn:a"><title>A</title><link>https://example.org/a</link>
            <dc:date>2021-09-06</dc:date></item></rdf:RDF>
            """)
        let run = try place.run(from: address)
        #expect(run.outcome == "succeeded", "\(run)")
        #expect(
            try place.items() == [
                [
                    "id": "urn:a", "title": "A", "link": "https://example.org/a",
                    "published": "2021-09-06", "summary": "",
                ]
            ])
    }

    @Test("of Atom, with titles of every type and links relative to xml:base")
    func atom() throws {
        let address = try place.server.answer(
            "feed",
            """
            <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.org/deep/">
            <entry xml:base="er/"><id>urn:c</id><title>1 &lt; 2 &amp;amp; 3</title>
            <link rel="self" href="https://example.org/self"/><link href="c?x=1&amp;y=2"/>
            <updated>2021-09-07</updated><published>2021-09-06</published></entry>
            <entry><id>urn:b</id><title type="html">B &amp;amp; &lt;i&gt;more&lt;/i&gt;</title>
            <link rel="alternate" href="/b"/><summary>S</summary><content>C</content></entry>
            <entry><id>urn:a</id><title type="xhtml">
            <div xmlns="http://www.w3.org/1999/xhtml">A <b>bold</b> one</div></title>
            <link href="javascript:alert(1)"/></entry></feed>
            """)
        let run = try place.run(from: address)
        #expect(run.outcome == "succeeded", "\(run)")
        #expect(try place.texts("title") == ["A bold one", "B & more", "1 < 2 &amp; 3"])
        #expect(
            try place.texts("link") == [
                "", "https://example.org/b", "https://example.org/deep/er/c?x=1&y=2",
            ])
        #expect(try place.texts("summary") == ["", "C", ""])
        #expect(try place.texts("published") == ["", "", "2021-09-06"])
    }

    @Test("of a file")
    func file() throws {
        let path = try place.files.write(SampleFeed.rss(SampleFeed.item("One")), to: "feed.xml")
        #expect(try place.run(from: path).outcome == "succeeded")
        #expect(try place.texts("title") == ["One"])
        let missing = try place.run(from: "/nowhere/feed.xml")
        #expect(
            missing.answer == "could not open /nowhere/feed.xml: No such file or directory")
        let directory = try place.run(from: place.files.path)
        #expect(directory.answer.hasSuffix(" is not a regular file; name one, or a new one"))
    }

    @Test("of items without an id, by their links, or titles and dates")
    func noIDs() throws {
        let address = try place.server.answer(
            "feed",
            SampleFeed.rss(
                "<item/>", "<item><title>Only a title</title><pubDate>D</pubDate></item>",
                "<item><title>L</title><link>/relative</link></item>",
                "<item><title>G</title><guid>https://example.org/guid</guid></item>",
                "<item><description>Only words</description></item>"))
        for result in [
            #"{"new":4,"known":0,"unchanged":false}"#, #"{"new":0,"known":4,"unchanged":false}"#,
        ] {
            let run = try place.run(from: address)
            #expect(run.result == result, "\(run)")
        }
        #expect(
            try place.texts("id") == [
                "Only words", "https://example.org/guid", "\(place.server.address)/relative",
                "Only a title D",
            ])
        #expect(try place.texts("link")[1] == "https://example.org/guid")
    }

    @Test("of items with the same id only the first")
    func sameID() throws {
        let address = try place.server.answer(
            "feed",
            SampleFeed.rss(
                SampleFeed.item("Newer", id: "same"), SampleFeed.item("Older", id: "same")))
        let run = try place.run(from: address)
        #expect(run.result == #"{"new":1,"known":1,"unchanged":false}"#, "\(run)")
        #expect(try place.texts("title") == ["Newer"])
    }

    @Test("of a feed without items nothing, and that is no failure")
    func noItems() throws {
        let address = try place.server.answer("feed", SampleFeed.rss())
        let run = try place.run(from: address)
        #expect(run.result == #"{"new":0,"known":0,"unchanged":false}"#, "\(run)")
        #expect(try place.texts("id").isEmpty)
    }

    @Test("of ten thousand items every one, once")
    func manyItems() throws {
        let address = try place.server.answer("feed", SampleFeed.many(10_000))
        let run = try place.run(from: address)
        #expect(run.result == #"{"new":10000,"known":0,"unchanged":false}"#, "\(run)")
        #expect(try Set(place.texts("id")).count == 10_000)
        #expect(try place.items().first?["title"] == "news 10000")
        let again = try place.run(from: address)
        #expect(again.result == #"{"new":0,"known":10000,"unchanged":false}"#)
    }

    @Test(
        "links are absolute addresses, or none",
        arguments: [
            ("https://example.org/a?b=1&amp;c=%20#d", "https://example.org/a?b=1&c=%20#d"),
            (" https://example.org/grün und\nrot ", "https://example.org/gr%C3%BCn%20und%20rot"),
            ("//example.org/x", "http://example.org/x"),
            ("HTTPS://example.org/", "HTTPS://example.org/"),
            ("javascript:alert(1)", ""), ("file:///etc/passwd", ""), ("http://[broken", ""),
            ("https://example.org/" + String(repeating: "x", count: 5_000), ""),
        ])
    func links(source: String, link: String) throws {
        let address = try place.server.answer(
            "feed", SampleFeed.rss(SampleFeed.item("x", more: "<link>\(source)</link>")))
        #expect(try place.run(from: address).outcome == "succeeded")
        #expect(try place.texts("link") == [link])
    }

    // MARK: Markup

    @Test(
        "titles are text, whatever is in them",
        arguments: [
            ("<![CDATA[<b>Bold</b> &amp; more &]]>", "Bold & more &"),
            ("AT&T", "AT&T"), ("a&nbsp;b&hellip;", "a b…"), ("&lt;i&gt;x&lt;/i&gt;", "x"),
            ("1 &lt; 2 &amp; 3", "1 < 2 & 3"), ("&amp;eacute;t&#233;", "été"),
            ("&unknown; &#0;&#x1F;&;", "&unknown; \u{fffd}\u{fffd}&;"),
            ("tab\u{b}bed\u{1}", "tabbed"),
            ("two\n  lines", "two lines"), ("<b>in</b> markup", "in markup"),
        ])
    func titles(source: String, title: String) throws {
        let address = try place.server.answer(
            "feed",
            SampleFeed.rss(SampleFeed.item("after &amp; it"), SampleFeed.item(source, id: "x")))
        let run = try place.run(from: address)
        #expect(run.outcome == "succeeded", "\(run)")
        #expect(try place.texts("title") == [title, "after & it"])
    }

    @Test("entities of the document's own are not expanded, and nothing is loaded")
    func entities() throws {
        let secret = try place.files.write("the secret", to: "secret")
        let address = try place.server.answer(
            "feed",
            SampleFeed.rss(
                SampleFeed.item("&file;|&lol9;|&pe;", id: "x"),
                head: """
                    <?xml version="1.0"?><!DOCTYPE rss SYSTEM "\(place.server.address)/dtd" [
                    <!ENTITY file SYSTEM "file://\(secret)">
                    <!ENTITY lol0 "lol"><!ENTITY lol9 "&lol0;&lol0;&lol0;&lol0;&lol0;&lol0;">
                    <!ENTITY % more SYSTEM "\(place.server.address)/more"> %more;
                    ]>
                    """))
        let run = try place.run(from: address)
        #expect(run.outcome == "succeeded", "\(run)")
        #expect(try place.texts("title") == ["&file;|&lol9;|&pe;"])
        #expect(try place.server.requests().map(\.path) == ["/feed"])
    }

    // MARK: Encodings

    @Test(
        "every encoding is read, whoever says which it is",
        arguments: [
            ("UTF-8", nil, "\u{feff}", .utf8), ("UTF-8", nil, "", .utf8),
            ("ISO-8859-1", nil, "", .windowsCP1252), ("windows-1252", nil, "", .windowsCP1252),
            (nil, "text/xml; charset=\"ISO-8859-1\"", "", .windowsCP1252),
            (nil, "text/xml;charset=windows-1252", "", .windowsCP1252),
            ("UTF-8", "application/rss+xml; charset=windows-1252", "", .windowsCP1252),
            ("UTF-16", nil, "\u{feff}", .utf16LittleEndian),
            ("UTF-16", nil, "\u{feff}", .utf16BigEndian),
            ("utf-16", nil, "", .utf16LittleEndian),
            (nil, "text/xml; charset=utf-16", "", .utf16BigEndian),
        ] as [(String?, String?, String, String.Encoding)])
    func encodings(declared: String?, type: String?, mark: String, encoding: String.Encoding) throws
    {
        let head =
            declared.map { #"<?xml version="1.0" encoding="\#($0)"?>"# } ?? "<?xml version='1.0'?>"
        let text = SampleFeed.rss(
            SampleFeed.item(
                "„grün – Ω“".filter { encoding != .windowsCP1252 || $0 != "Ω" }, id: "x"),
            head: mark + head)
        let bytes = try #require(text.data(using: encoding))
        let address = try place.server.answer(
            "feed", type.map { ["Content-Type": $0] } ?? [:], body: Array(bytes))
        let run = try place.run(from: address)
        #expect(run.outcome == "succeeded", "\(run)")
        let title = encoding == .windowsCP1252 ? "„grün – “" : "„grün – Ω“"
        #expect(try place.texts("title") == [title])
    }

    @Test("malformed text is repaired, and an encoding that is unknown is named")
    func badEncodings() throws {
        let bytes = SampleFeed.rss(SampleFeed.item("a?b", id: "x")).utf8.map {
            $0 == UInt8(ascii: "?") ? 0xff : $0
        }
        // The instruction's question marks are needed.
        let feed = Array("<?xml version='1.0'?>".utf8) + bytes.drop { $0 != 0x0a }
        let address = try place.server.answer("feed", [:], body: feed)
        #expect(try place.run(from: address).outcome == "succeeded")
        #expect(try place.texts("title") == ["a\u{fffd}b"])

        // Half of a pair, and at the end half of a character.
        let text = Array(
            try #require(
                SampleFeed.rss(SampleFeed.item("c?d", id: "y")).data(using: .utf16BigEndian)))
        let mark = try #require(text.firstRange(of: [0, 0x63, 0, 0x3f, 0, 0x64]))
        let wide =
            text[..<mark.lowerBound] + [0, 0x63, 0xdc, 0, 0, 0x64] + text[mark.upperBound...] + [0]
        try place.server.answer("feed", [:], body: Array(wide))
        let ended = try place.run(from: address)
        #expect(ended.answer.contains("Extra content at the end of the document"), "\(ended)")
        #expect(try place.texts("title").last?.hasPrefix("c\u{fffd}") == true)

        let unknown = try place.server.answer(
            "unknown", ["Content-Type": "text/xml; charset=klingon//TRANSLIT"], SampleFeed.rss())
        let run = try place.run(from: unknown)
        #expect(
            run.answer == "could not read \(unknown): the document says that it is in "
                + "'klingon//translit', an encoding that is not known here")
    }
}
