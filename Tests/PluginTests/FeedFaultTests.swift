// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("The feed plugin when things go wrong")
struct FeedFaultTests {
    let place: FeedPlace

    init() throws {
        place = try FeedPlace()
    }

    // MARK: Documents

    @Test("of a document that is cut off, what is whole is taken, and the rest the next time")
    func cutOff() throws {
        let whole = SampleFeed.rss(
            SampleFeed.item("Three"), SampleFeed.item("Two"), SampleFeed.item("One"))
        let end = try #require(whole.firstRange(of: "One</title>"))
        let address = try place.server.answer(
            "feed", ["ETag": "\"1\""], String(whole[..<end.upperBound]))
        let run = try place.run(from: address)
        #expect(run.outcome == "failed", "\(run)")
        #expect(
            run.answer.hasPrefix("\(address) is not well-formed XML: line "), "\(run.answer)")
        #expect(
            run.answer.hasSuffix(
                "; the 2 new items before that are written, and the next run reads it again"))
        #expect(try place.texts("title") == ["Two", "Three"])

        try place.server.answer("feed", ["ETag": "\"1\""], whole)
        let next = try place.run(from: address)
        #expect(next.result == #"{"new":1,"known":2,"unchanged":false}"#, "\(next)")
        #expect(try place.texts("title") == ["Two", "Three", "One"])
    }

    @Test("words behind the end of the document cost no item")
    func wordsBehind() throws {
        let address = try place.server.answer(
            "feed", SampleFeed.rss(SampleFeed.item("One")) + "\n<p>Warning: slow query</p>")
        let run = try place.run(from: address)
        #expect(run.outcome == "failed")
        #expect(run.answer.contains("Extra content at the end of the document"), "\(run)")
        #expect(try place.texts("title") == ["One"])
    }

    @Test(
        "what is no feed is said to be none",
        arguments: [
            ("", "the document is empty"),
            ("   ", "the document is no XML: "),
            ("Not found", "the document is no XML: line 1: Start tag expected"),
            (
                "<html><body>Sign in</body></html>",
                "the document is no feed: its root element is <html>"
            ),
        ])
    func noFeed(text: String, problem: String) throws {
        let address = try place.server.answer("feed", text)
        let run = try place.run(from: address)
        #expect(run.outcome == "failed")
        #expect(run.answer.hasPrefix("could not read \(address): \(problem)"), "\(run)")
    }

    @Test(
        "a document that is too large is not read to its end, announced, unpacked or not",
        arguments: [[:], ["unannounced": true], ["gzip": true]])
    func tooLarge(options: [String: Bool]) throws {
        let address = try place.server.answer(
            "feed", [:], String(repeating: "x", count: 1 << 10),
            options: (options as [String: Any]).merging(["repeat": 17 << 10]) { $1 })
        let run = try place.run(from: address)
        #expect(run.answer == "could not read \(address): it has more than 16 MiB", "\(run)")
    }

    @Test("an element with very many attributes is refused, wherever they come from")
    func attributes() throws {
        let many = (0..<80_000).map { " a\($0)='1'" }.joined()
        let cut = "<rss version='2.0'><channel><item\(many)"
        for text in [cut + "/></channel></rss>", cut + "<item/></channel></rss>"] {
            let address = try place.server.answer("feed", text)
            let run = try place.run(from: address)
            #expect(
                run.answer
                    == "could not read \(address): an element has more than 256 attributes",
                "\(run)")
        }
        // A document type gives them to every element; a feed needs none, and each is left out.
        let list = (0..<20_000).map { "<!ATTLIST item a\($0) CDATA '>'>\n" }.joined()
        let address = try place.server.answer(
            "feed",
            SampleFeed.rss(
                SampleFeed.item("One"), head: "<!DOCTYPE rss [\(list)<!-- ' -->]>"))
        let run = try place.run(from: address)
        #expect(run.outcome == "succeeded", "\(run)")
    }

    @Test(
        "namespaces of many elements around one are refused; of many beside each other they are not"
    )
    func namespaces() throws {
        func feed(_ spaces: Int, _ depth: Int, _ body: String) -> String {
            let start = (0..<depth).map { level in
                "<e" + (0..<spaces).map { " xmlns:n\(level)x\($0)='u'" }.joined() + ">"
            }.joined()
            return "<rss version='2.0'><channel>" + start + body
                + String(repeating: "</e>", count: depth) + "</channel></rss>"
        }
        let deep = try place.server.answer("feed", feed(16, 200, "<n0x0:b/>"))
        #expect(
            try place.run(from: deep).answer
                == "could not read \(deep): more than 256 namespaces are in use at one place")
        let div = "<div xmlns='http://www.w3.org/1999/xhtml'></div>"
        let wide = try place.server.answer(
            "feed", feed(1, 100, String(repeating: div, count: 10_000)))
        #expect(try place.run(from: wide).outcome == "succeeded")
    }

    @Test("elements inside of each other without end are refused, not followed")
    func deep() throws {
        let address = try place.server.answer(
            "feed",
            SampleFeed.rss(SampleFeed.item(String(repeating: "<b>", count: 100_000), id: "x")))
        let run = try place.run(from: address)
        #expect(run.outcome == "failed")
        #expect(run.answer.contains("is not well-formed XML"), "\(run)")
    }

    // MARK: Servers

    @Test("a document that is packed is unpacked")
    func gzip() throws {
        let address = try place.server.answer(
            "feed", [:], SampleFeed.rss(SampleFeed.item("One")), options: ["gzip": true])
        #expect(try place.run(from: address).outcome == "succeeded")
        #expect(try place.texts("title") == ["One"])
        #expect(try place.server.lastRequest()["accept-encoding"]?.contains("gzip") == true)
    }

    @Test("redirects are followed", arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) throws {
        try place.server.answer("deep", SampleFeed.rss("<item><link>x</link></item>"))
        let address = try place.server.answer("feed", status: status, ["Location": "/deep"])
        let run = try place.run(from: address)
        #expect(run.outcome == "succeeded", "\(run)")
        #expect(try place.texts("link") == ["\(place.server.address)/x"])
    }

    @Test("redirects without end are given up")
    func loop() throws {
        let address = try place.server.answer("feed", status: 302, ["Location": "/feed"])
        let run = try place.run(from: address)
        #expect(run.answer == "could not read \(address): Maximum (5) redirects followed", "\(run)")
    }

    @Test(
        "a redirect leads to no file and no other protocol", arguments: ["file", "gopher", "ftp"])
    func protocols(name: String) throws {
        let secret = try place.files.write(SampleFeed.rss(SampleFeed.item("secret")), to: "secret")
        let address = try place.server.answer(
            "feed", status: 302,
            ["Location": "\(name)://\(name == "file" ? "" : "localhost")\(secret)"])
        let run = try place.run(from: address)
        #expect(run.outcome == "failed", "\(run)")
        #expect(run.answer.contains(#"Protocol "\#(name)" not supported or disabled"#), "\(run)")
        #expect(try place.texts("id").isEmpty)
    }

    @Test("an error of the server is told", arguments: [404, 410, 500, 503])
    func errors(status: Int) throws {
        let address = try place.server.answer(
            "feed", status: status, SampleFeed.rss(SampleFeed.item("One")))
        let run = try place.run(from: address)
        #expect(
            run.answer == "could not read \(address): The requested URL returned error: \(status)",
            "\(run)")
        #expect(try place.texts("id").isEmpty)
    }

    @Test("a server that is not there is told, without the password of its address")
    func refused() throws {
        let run = try place.run(from: "http://me:secret@127.0.0.1:1/feed")
        #expect(
            run.answer.hasPrefix(
                "could not read http://127.0.0.1:1/feed: Failed to connect to 127.0.0.1 port 1"),
            "\(run)")
        #expect(!run.process.output.contains("secret"))
    }

    @Test(
        "a server is asked for news only, by ETag or Last-Modified or both",
        arguments: [
            ["ETag": #"W/"a1""#], ["Last-Modified": "Mon, 06 Sep 2021 00:01:00 GMT"],
            ["ETag": #""b""#, "Last-Modified": "Mon, 06 Sep 2021 00:01:00 GMT"],
        ])
    func conditional(headers: [String: String]) throws {
        let address = try place.server.answer(
            "feed", headers, SampleFeed.rss(SampleFeed.item("One")))
        #expect(try place.run(from: address).result == #"{"new":1,"known":0,"unchanged":false}"#)
        #expect(try place.server.lastRequest()["if-none-match"] == nil)
        for _ in 1...2 {
            let run = try place.run(from: address)
            #expect(run.result == #"{"new":0,"known":0,"unchanged":true}"#, "\(run)")
            let request = try place.server.lastRequest()
            #expect(request["if-none-match"] == headers["ETag"])
            #expect(request["if-modified-since"] == headers["Last-Modified"])
        }
        try place.server.answer(
            "feed", ["ETag": "new"], SampleFeed.rss(SampleFeed.item("Two"), SampleFeed.item("One")))
        let changed = try place.run(from: address)
        #expect(changed.result == #"{"new":1,"known":1,"unchanged":false}"#, "\(changed)")

        // What one server says is not told to another.
        let other = try place.server.answer(
            "other", headers, SampleFeed.rss(SampleFeed.item("Two")))
        #expect(try place.run(from: other).outcome == "succeeded")
        #expect(try place.server.lastRequest()["if-none-match"] == nil)
    }

    @Test("a 304 that nobody asked for is no answer")
    func unasked304() throws {
        let address = try place.server.answer("feed", status: 304)
        let run = try place.run(from: address)
        #expect(run.answer == "could not read \(address): the server answered with status 304")
    }

    // MARK: Time

    @Test("a server that does not answer in time costs nothing but the time")
    func slowServer() throws {
        let feed = SampleFeed.many(3)
        let address = try place.server.answer("feed", ["ETag": "x"], feed, options: ["hold": 300])
        let run = try place.run(from: address, budget: "300ms")
        #expect(run.outcome == "expired", "\(run)")
        #expect(
            run.answer == "stopped while reading \(address) because its time was up; nothing was "
                + "written, and the next run asks again")
        #expect(try place.texts("id").isEmpty)

        try place.server.answer("feed", ["ETag": "x"], feed)
        let next = try place.run(from: address)
        #expect(next.result == #"{"new":3,"known":0,"unchanged":false}"#, "\(next)")
    }

    @Test("a run that is stopped in the middle loses nothing, and writes nothing twice")
    func stopped() throws {
        let count = 1_000
        let address = try place.server.answer("feed", ["ETag": "x"], SampleFeed.many(count))
        var stops = 0
        // A run may get to its end before it is told, on a machine that has something else to do.
        for _ in 1...20 where stops == 0 {
            for path in [place.output, place.state] {
                try? FileManager.default.removeItem(atPath: path)
            }
            var written = 0
            while written < count {
                let run = try place.runUntilItWrites(from: address)
                let now = try place.texts("id").count
                try #require(now > written, "\(run)")
                if now < count {
                    stops += 1
                    #expect(run.outcome == "cancelled", "\(run)")
                    #expect(run.answer.hasPrefix("stopped after \(now - written) of "), "\(run)")
                }
                written = now
            }
        }
        #expect(stops > 0)
        let ids = try place.texts("id")
        #expect(ids.count == count)
        #expect(Set(ids).count == count)
    }

    // MARK: What a killed run leaves

    @Test("lines that a killed run wrote and did not note are not written again")
    func killed() throws {
        let address = try place.server.answer("feed", SampleFeed.many(3))
        _ = try place.run(from: address)
        let written = try place.files.read("news.jsonl")
        let lines = written.split(separator: UInt8(ascii: "\n")).map { Array($0) + [0x0a] }

        for (left, count) in [
            // Killed in its third line, before any state.
            (lines[0] + lines[1] + lines[2].prefix(20), 1),
            // Killed between the output and the state.
            (written, 0),
        ] {
            try place.files.write(left, to: "news.jsonl")
            try FileManager.default.removeItem(atPath: place.state)
            let run = try place.run(from: address)
            #expect(run.result.hasPrefix(#"{"new":\#(count),"#), "\(run)")
            #expect(try place.files.read("news.jsonl") == written)
        }

        // Killed after a state.
        try place.server.answer("feed", SampleFeed.many(5))
        let state = try place.files.read("news.jsonl.state")
        _ = try place.run(from: address)
        let all = try place.files.read("news.jsonl")
        try place.files.write(state, to: "news.jsonl.state")
        let again = try place.run(from: address)
        #expect(again.result == #"{"new":0,"known":5,"unchanged":false}"#, "\(again)")
        #expect(try place.files.read("news.jsonl") == all)
    }

    @Test("an output that was taken away is begun anew, and old items stay known")
    func rotated() throws {
        let address = try place.server.answer("feed", SampleFeed.many(2))
        _ = try place.run(from: address)
        try FileManager.default.removeItem(atPath: place.output)
        try place.server.answer("feed", SampleFeed.many(3))
        let run = try place.run(from: address)
        #expect(run.result == #"{"new":1,"known":2,"unchanged":false}"#, "\(run)")
        #expect(try place.texts("title") == ["news 3"])
    }

    @Test("somebody else's file stays as it is")
    func foreign() throws {
        let address = try place.server.answer("feed", SampleFeed.many(2))
        for content in ["my letters\n", "my letters", #"{"id":"1"}"# + "\n"] {
            try place.files.write(content, to: "news.jsonl")
            let run = try place.run(from: address)
            #expect(run.answer.contains("has lines that no feed task wrote"), "\(run)")
            #expect(try place.files.read("news.jsonl") == Array(content.utf8))
        }
        try FileManager.default.removeItem(atPath: place.output)
        try FileManager.default.createSymbolicLink(
            atPath: place.output, withDestinationPath: place.files.path("elsewhere"))
        #expect(try place.run(from: address).answer.hasPrefix("could not open "))
        #expect(!FileManager.default.fileExists(atPath: place.files.path("elsewhere")))
    }

    @Test("an output that another task writes to is left alone")
    func locked() throws {
        let address = try place.server.answer("feed", SampleFeed.many(2))
        let other = open(place.output, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(other, LOCK_EX) == 0)
        let run = try place.run(from: address)
        #expect(
            run.answer == "another feed task writes to \(place.output) at this moment; run again "
                + "later", "\(run)")
        close(other)
        #expect(try place.run(from: address).outcome == "succeeded")
    }

    @Test("a state that is none is said to be one, and nothing is written")
    func badState() throws {
        let address = try place.server.answer("feed", SampleFeed.many(2))
        try place.files.write("[1, 2", to: "news.jsonl.state")
        let run = try place.run(from: address)
        #expect(
            run.answer == "\(place.state) is not what an earlier run wrote there; remove it to "
                + "take every item for new")
        #expect(try place.texts("id").isEmpty)
    }

    // MARK: Payloads

    @Test(
        "a payload that says nothing is told what it should say",
        arguments: [
            ("", "it is not a JSON object with two texts"),
            ("[]", "it is not a JSON object with two texts"),
            (#"{"from": "/a"}"#, #""to" is missing"#),
            (#"{"from": 1, "to": "/b"}"#, #""from" is not a text"#),
            (
                #"{"from": "ftp://a/b", "to": "/b"}"#,
                "neither an address of http or https nor an absolute path: 'ftp://a/b'"
            ),
            (#"{"from": "/a", "to": "b"}"#, "is not the absolute path of a file: 'b'"),
            (#"{"from": "/a", "to": "/b/"}"#, "is not the absolute path of a file: '/b/'"),
        ])
    func payloads(payload: String, answer: String) throws {
        let run = try place.run(payload: payload)
        #expect(run.outcome == "failed")
        #expect(run.answer.hasSuffix(answer), "\(run)")
    }
}
