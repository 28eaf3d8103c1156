// SPDX-License-Identifier: Apache-2.0

/// The head of a request: the lines that decide whether it is taken.
///
/// libmicrohttpd 0.9.75 accepts two lengths, a length beside a transfer coding, and two hosts, by which a
/// request can look different to another program on its way. RFC 9112 section 6.3 and 3.2 refuse them.
package struct HTTPHead: Sendable {
    package let method: String
    package let version: String
    package private(set) var contentType: String?
    package private(set) var accept: String?
    /// Of an event stream: the last event that its client has.
    package private(set) var lastEventID: String?
    /// The name by which the client knows the server.
    package private(set) var host: String?
    package private(set) var cookie: String?
    /// The place in a trace of who calls: https://www.w3.org/TR/trace-context/
    package private(set) var traceparent: String?
    package private(set) var origin: String?
    /// Where the page is from that has made a browser send this: https://www.w3.org/TR/fetch-metadata/
    package private(set) var fetchSite: String?
    private var lengths: [String] = []
    private var codings: [String] = []
    private var hosts = 0
    /// The client waits for `100 Continue` before it sends the body.
    package private(set) var waitsToSend = false
    private var hasExpectation = false
    private var bytes: Int
    private var isCut = false

    /// The most bytes that a head may take in the memory of a connection, so that there is room for an answer:
    /// libmicrohttpd would close the connection without one after the request was carried out.
    package static let mostBytes = 12_288
    /// The bytes that each line, argument and cookie costs besides its text: libmicrohttpd 0.9.75 takes 64, and
    /// this is a little more.
    private static let partBytes = 72

    package init(method: String, target: String, version: String) {
        let arguments = target.utf8.count { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "?") }
        bytes = target.utf8.count + Self.partBytes * (arguments + 1)
        self.method = method
        self.version = version
    }

    /// Takes a header line, whose bytes are valid during the call.
    package mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        bytes += name.count + value.count + Self.partBytes
        guard !name.isEmpty, name.allSatisfy(Self.isOfName), Self.isText(value) else {
            isCut = true
            return
        }
        // RFC 9110 section 5.5: blanks around a value are none of it. libmicrohttpd leaves those behind it.
        let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? 0
        let value = UnsafeRawBufferPointer(rebasing: value[..<end])
        // A computed value: a line that the switch ignores costs no String.
        var text: String { String(decoding: value, as: UTF8.self) }
        switch String(decoding: name, as: UTF8.self).lowercased() {
        case "content-length": lengths.append(text)
        case "transfer-encoding": codings.append(text.lowercased())
        case "host":
            hosts += 1
            host = text.lowercased()
        case "cookie":
            cookie = text
            // Once more, and in parts.
            let parts = value.count { $0 == UInt8(ascii: ";") } + 1
            bytes += value.count + parts * Self.partBytes
        case "traceparent": traceparent = text
        case "origin": origin = text.lowercased()
        case "sec-fetch-site": fetchSite = text.lowercased()
        case "content-type": contentType = text
        case "accept": accept = text
        case "last-event-id": lastEventID = text
        case "expect":
            if text.lowercased() == "100-continue" {
                waitsToSend = true
            } else {
                hasExpectation = true
            }
        default: break
        }
    }

    /// Whether bytes are UTF-8 without control characters but the tab.
    private static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var isASCII = true
        for byte in bytes {
            if byte < 0x20 && byte != 0x09 || byte == 0x7f { return false }
            if byte >= 0x80 { isASCII = false }
        }
        return isASCII || String(validating: bytes, as: UTF8.self) != nil
    }

    /// Whether a byte may be in a header's name. libmicrohttpd leaves a blank before the colon in the name, so that
    /// `Content-Length : 5` would be a length to other programs and none here: RFC 9112 section 5.1 refuses it.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }

    /// The number of bytes that its length announces; nil without one.
    package var length: UInt64? { lengths.first.flatMap { UInt64($0) } }

    private var hasBody: Bool { !codings.isEmpty || length ?? 0 > 0 }

    /// Why the request is not taken; nil if it is.
    ///
    /// - Parameter limit: the most bytes of a body.
    package func fault(limit: Int) -> HTTPFault? {
        if bytes > Self.mostBytes {
            return HTTPFault(
                431, "tooLarge", "the head of the request is too large",
                help: [
                    "it may take \(Self.mostBytes / 1_024) KiB, with \(Self.partBytes) bytes for each line,"
                        + " argument and cookie"
                ])
        }
        if isCut {
            return HTTPFault(400, "badHTTP", "a header line has a character that none may have")
        }
        if version != "HTTP/1.1" {
            return HTTPFault(505, "badHTTP", "the version has to be HTTP/1.1, not \(version)")
        }
        if hosts != 1 {
            return HTTPFault(400, "badHTTP", "a request has one line Host, not \(hosts)")
        }
        if lengths.count > 1 {
            return HTTPFault(400, "badHTTP", "there are two lines Content-Length")
        }
        if !lengths.isEmpty, !codings.isEmpty {
            return HTTPFault(
                400, "badHTTP", "Content-Length and Transfer-Encoding exclude each other")
        }
        if codings.count > 1 || codings.contains(where: { $0 != "chunked" }) {
            return HTTPFault(501, "badHTTP", "of transfer codings only `chunked` is known")
        }
        if let text = lengths.first, length == nil || !text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return HTTPFault(400, "badHTTP", "Content-Length is no number")
        }
        if hasExpectation {
            return HTTPFault(417, "badHTTP", "of expectations only `100-continue` is known")
        }
        if hasBody, method == "GET" || method == "HEAD" {
            return HTTPFault(400, "badHTTP", "\(method) has no body")
        }
        if let length, length > UInt64(limit) {
            return HTTPFault(413, "tooLarge", "the body has \(length) bytes, and may have \(limit)")
        }
        guard hasBody, !isJSON else { return nil }
        return HTTPFault(
            415, "contentType", "the body has to be JSON: send Content-Type: application/json")
    }

    /// Whether the body is said to be JSON, which the form of a web page cannot say.
    private var isJSON: Bool {
        guard let contentType else { return false }
        if contentType == "application/json" { return true }
        let kind = contentType.prefix { $0 != ";" }.lowercased()
        return kind == "application/json" || kind == "application/json "
    }
}
