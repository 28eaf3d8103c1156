// SPDX-License-Identifier: Apache-2.0
import CCurl
import CurfewPlugin

/// Downloads a document, with a limit for everything that the server controls.
struct WebDownload {
    private static var redirectLimit: Int { 5 }
    private static var connectSeconds: Int { 15 }
    /// The transfer fails if the server sends fewer bytes a second than this for that long.
    private static var slowBytes: Int { 10 }
    private static var slowSeconds: Int { 30 }
    /// The longest time until a stop is noticed.
    private static var pollMilliseconds: Int32 { 100 }

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    let task: HandlerTask
    let address: String
    /// The state of the last run.
    let version: FeedVersion

    /// Returns the document, or nil if the server still has the last version.
    func document() throws -> FeedDocument? {
        guard WebDownload.isReady, let handle = curl_easy_init(), let multi = curl_multi_init()
        else { throw FeedProblem("libcurl could not be started; there may be no memory left") }
        let body = WebBody(limit: FeedDocument.limit)
        let errors = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        errors.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        let headers = makeHeaders()
        defer {
            curl_multi_remove_handle(multi, handle)
            curl_easy_cleanup(handle)
            curl_multi_cleanup(multi)
            curl_slist_free_all(headers)
            errors.deallocate()
        }
        try prepare(handle)
        feed_curl_errors(handle, errors)
        feed_curl_headers(handle, headers)
        feed_curl_writer(
            handle,
            { bytes, size, count, data in
                guard let bytes, let data else { return 0 }
                let body = Unmanaged<WebBody>.fromOpaque(data).takeUnretainedValue()
                return body.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }, Unmanaged.passUnretained(body).toOpaque())
        let code = try withExtendedLifetime(body) { try perform(handle, multi, body) }
        let last = feed_curl_address(handle).map { String(cString: $0) } ?? address
        guard code == CURLE_OK else {
            let isTooLarge = body.isTooLarge || code == CURLE_FILESIZE_EXCEEDED
            let text = isTooLarge ? FeedDocument.tooLarge : String(cString: errors)
            throw problem(
                text.isEmpty ? String(cString: curl_easy_strerror(code)) : text, at: last)
        }
        switch feed_curl_status(handle) {
        case 304 where !version.isEmpty: return nil
        case 200..<300: break
        case let status: throw problem("the server answered with status \(status)", at: last)
        }
        return FeedDocument(
            bytes: body.bytes, contentType: header("content-type", handle) ?? "", address: last,
            version: FeedVersion(
                etag: header("etag", handle), lastModified: header("last-modified", handle)))
    }

    private func prepare(_ handle: UnsafeMutableRawPointer) throws {
        feed_curl_text(handle, CURLOPT_URL, address)
        feed_curl_text(handle, CURLOPT_USERAGENT, "curfew-feed/0.1")
        // Without this, a redirect could lead to any scheme that curl reads, file: included.
        guard feed_curl_text(handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK,
            feed_curl_text(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https") == CURLE_OK
        else { throw FeedProblem("this libcurl cannot be limited to http and https") }
        feed_curl_text(handle, CURLOPT_ACCEPT_ENCODING, "")
        for (option, value) in [
            (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, WebDownload.redirectLimit),
            (CURLOPT_CONNECTTIMEOUT, WebDownload.connectSeconds),
            (CURLOPT_LOW_SPEED_LIMIT, WebDownload.slowBytes),
            (CURLOPT_LOW_SPEED_TIME, WebDownload.slowSeconds),
            (CURLOPT_MAXFILESIZE, FeedDocument.limit), (CURLOPT_FAILONERROR, 1),
            // Signal handlers of the process belong to the host.
            (CURLOPT_NOSIGNAL, 1),
            // The end of the task does not wait for a name look-up.
            (CURLOPT_QUICK_EXIT, 1),
        ] { feed_curl_long(handle, option, value) }
    }

    private func makeHeaders() -> UnsafeMutablePointer<curl_slist>? {
        var lines = [
            "Accept: application/atom+xml, application/rss+xml, application/rdf+xml, "
                + "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1"
        ]
        if let etag = version.etag { lines.append("If-None-Match: \(etag)") }
        if let time = version.lastModified { lines.append("If-Modified-Since: \(time)") }
        return lines.reduce(nil) { curl_slist_append($0, $1) }
    }

    /// Runs the transfer until it ends, or the task has to stop.
    private func perform(
        _ handle: UnsafeMutableRawPointer, _ multi: UnsafeMutableRawPointer, _ body: WebBody
    ) throws -> CURLcode {
        curl_multi_add_handle(multi, handle)
        var running: Int32 = 1
        var reported = 0
        while curl_multi_perform(multi, &running) == CURLM_OK, running > 0 {
            guard !task.isExpired, !Task.isCancelled else {
                throw FeedProblem(stoppedReading: FeedRequest.shown(address), task)
            }
            let length = Int(feed_curl_length(handle))
            if length > 0, body.bytes.count - reported > length / 20 {
                reported = body.bytes.count
                let part = min(Double(reported) / Double(length), 1)
                task.report(progress: part / 2, "\(reported) of \(length) bytes")
            }
            curl_multi_poll(multi, nil, 0, WebDownload.pollMilliseconds, nil)
        }
        var left: Int32 = 0
        guard let message = curl_multi_info_read(multi, &left) else { return CURLE_RECV_ERROR }
        return message.pointee.data.result
    }

    /// Returns a header of the last response.
    private func header(_ name: String, _ handle: UnsafeMutableRawPointer) -> String? {
        var header: UnsafeMutablePointer<curl_header>?
        guard curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK,
            let value = header?.pointee.value
        else { return nil }
        return String(cString: value)
    }

    private func problem(_ text: String, at last: String) -> FeedProblem {
        let from = FeedRequest.shown(address)
        let to = FeedRequest.shown(last)
        // curl adds a slash to an address without a path.
        let way = to == from || to == "\(from)/" ? "" : " (redirected to \(to))"
        return FeedProblem("could not read \(from)\(way): \(text)")
    }
}
