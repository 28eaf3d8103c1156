// SPDX-License-Identifier: Apache-2.0
package import CCurfew

extension ChannelWriter {
    /// Adds a copy of the options and of what their pointers name.
    package mutating func add(_ options: curfew_submit_options) {
        withUnsafeBytes(of: options) { add($0) }
        for text in [options.cron, options.key, options.trace] {
            add(text != nil)
            add(text.map { UnsafeRawBufferPointer(start: $0, count: Self.length($0)) } ?? Self.none)
        }
        // Beyond any limit it is not sent: the host refuses it by its length.
        let isSent = options.payload != nil && options.payload_bytes <= Self.payloadLimit
        add(
            UnsafeRawBufferPointer(
                start: isSent ? options.payload : nil,
                count: isSent ? Int(options.payload_bytes) : 0))
    }

    /// The longest payload of a request that is sent to a host.
    package static var payloadLimit: UInt64 { 64 << 20 }
    private static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    /// The length of a text, up to one byte above the limits of all texts.
    private static func length(_ text: UnsafePointer<CChar>) -> Int {
        var length = 0
        while length < 2_048, text[length] != 0 { length += 1 }
        return length
    }

    /// Adds an array of structs of C.
    package mutating func add<Struct: BitwiseCopyable>(structs: [Struct]) {
        structs.withUnsafeBytes { add($0) }
    }
}

extension ChannelReader {
    /// Reads options, and calls `body` with them; their pointers are valid until it returns.
    package mutating func options<Result>(
        _ body: (curfew_submit_options) -> Result
    ) -> Result? {
        guard let raw = raw(), raw.count == MemoryLayout<curfew_submit_options>.size,
            let hasCron = flag(), let cron = self.raw(), let hasKey = flag(), let key = self.raw(),
            let hasTrace = flag(), let trace = self.raw(), let payload = self.raw()
        else { return nil }
        var options = raw.loadUnaligned(as: curfew_submit_options.self)
        func text(_ bytes: UnsafeRawBufferPointer) -> [CChar] {
            bytes.map { CChar(bitPattern: $0) } + [0]
        }
        return text(cron).withUnsafeBufferPointer { cron in
            text(key).withUnsafeBufferPointer { key in
                text(trace).withUnsafeBufferPointer { trace in
                    options.cron = hasCron ? cron.baseAddress : nil
                    options.key = hasKey ? key.baseAddress : nil
                    options.trace = hasTrace ? trace.baseAddress : nil
                    // Beyond it nothing was sent: it is refused by its length, and there is nothing to read.
                    let isSent = options.payload_bytes <= ChannelWriter.payloadLimit
                    if isSent { options.payload_bytes = UInt64(payload.count) }
                    options.payload = isSent && !payload.isEmpty ? payload.baseAddress : nil
                    return body(options)
                }
            }
        }
    }

    /// Reads an array of structs of C.
    package mutating func structs<Struct: BitwiseCopyable>(_ zero: Struct) -> [Struct]? {
        guard let raw = raw(), raw.count % MemoryLayout<Struct>.stride == 0 else { return nil }
        return (0..<raw.count / MemoryLayout<Struct>.stride).map {
            raw.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Struct>.stride, as: Struct.self)
        }
    }
}
