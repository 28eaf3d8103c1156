// SPDX-License-Identifier: Apache-2.0

import CCurfew
import Scheduling
import TestSupport
import Testing

@testable import PluginBridge

@Suite("The messages between a host and a plugin's process")
struct ChannelTests {
    private static let values: [EventValue] = [
        .bool(true), .int32(-7), .int64(.min), .double(-0.0), .text("Grüße\u{0}!"), .text(""),
    ]

    private func message() -> [UInt8] {
        var writer = ChannelWriter()
        writer.add(UInt16(513))
        writer.add(true)
        writer.add(0.25)
        writer.add("a text")
        writer.add(BridgeError(.busy, "a message", rule: "a-rule"))
        writer.add(nil as BridgeError?)
        writer.add(EventSelector("tidied::")!)
        writer.add(Self.values)
        return writer.bytes
    }

    /// Reads the message as far as it goes. Returns whether it was whole.
    private func read(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var reader = ChannelReader(bytes)
            guard let number = reader.number(UInt16.self), let flag = reader.flag(),
                let fraction = reader.double(), let text = reader.text(),
                let error = reader.error(), let none = reader.error(),
                let selector = reader.selector(), let values = reader.values(), reader.isComplete
            else { return false }
            return number == 513 && flag && fraction == 0.25 && text == "a text"
                && error?.message == "a message" && error?.status == .busy
                && error?.rule == "a-rule" && none == nil && selector.description == "tidied::"
                && values == Self.values
        }
    }

    @Test("a message is read as it was written")
    func roundTrip() { #expect(read(message())) }

    @Test("a message that is cut anywhere, or is longer, is not read as a whole")
    func cut() {
        let whole = message()
        for count in whole.indices { #expect(!read(Array(whole[..<count]))) }
        #expect(!read(whole + [0]))
    }

    @Test("a message with any byte changed is read without harm")
    func changed() {
        let whole = message()
        for index in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[index] ^= 1 << UInt8(bit)
                _ = read(bytes)
            }
        }
    }

    @Test("options of a request keep what their pointers name")
    func options() throws {
        let payload: [UInt8] = [1, 2, 3]
        var writer = ChannelWriter()
        payload.withUnsafeBytes { payload in
            "*/5 * * * *".withCString { cron in
                "a key".withCString { key in
                    var options = curfew_submit_options()
                    options.struct_size = UInt32(MemoryLayout<curfew_submit_options>.size)
                    options.attempts = 3
                    (options.cron, options.key) = (cron, key)
                    options.payload = payload.baseAddress
                    options.payload_bytes = 3
                    writer.add(options)
                }
            }
        }
        let same = writer.bytes.withUnsafeBytes { bytes in
            var reader = ChannelReader(bytes)
            return reader.options { options in
                options.attempts == 3 && String(cString: options.cron!) == "*/5 * * * *"
                    && String(cString: options.key!) == "a key" && options.payload_bytes == 3
                    && Array(UnsafeRawBufferPointer(start: options.payload, count: 3)) == payload
            }
        }
        #expect(same == true)
        for count in writer.bytes.indices {
            let part = Array(writer.bytes[..<count]).withUnsafeBytes { bytes -> Bool? in
                var reader = ChannelReader(bytes)
                return reader.options { _ in true }
            }
            #expect(part == nil)
        }
    }

    @Test("options with a length beyond the channel's have no payload, whatever came with them")
    func tooLong() {
        var options = curfew_submit_options()
        options.payload_bytes = ChannelWriter.payloadLimit + 1
        var writer = ChannelWriter()
        withUnsafeBytes(of: options) { writer.add($0) }
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        for _ in 0..<3 {
            writer.add(false)
            writer.add(none)
        }
        [UInt8](repeating: 7, count: 9).withUnsafeBytes { writer.add($0) }
        let isRefused = writer.bytes.withUnsafeBytes { bytes in
            var reader = ChannelReader(bytes)
            return reader.options { read in
                read.payload == nil && read.payload_bytes == ChannelWriter.payloadLimit + 1
            }
        }
        #expect(isRefused == true)
    }

    @Test("a header of a record has a known kind and a body that fits")
    func headers() {
        for kind in ChannelRecord.Kind.allCases {
            let record = ChannelRecord(kind, task: .max, bytes: 9)
            #expect(ChannelRecord(words: record.words) == record)
            #expect(record.size == 32)
        }
        let limit = UInt64(ChannelLayout.recordBytes - ChannelLayout.headerBytes)
        #expect(ChannelRecord(words: (limit | 1 << 32, 0))?.bytes == UInt32(limit))
        #expect(ChannelRecord(words: (limit + 1 | 1 << 32, 0)) == nil)
        for word in [0, 1 << 40, 1 << 48 | 1 << 32, .max] as [UInt64] {
            #expect(ChannelRecord(words: (word, 0)) == nil)
        }
    }

    @Test("the places of a layout do not overlap, and the shared pages have only gates and bells")
    func layout() {
        for handlers in [1, 2, 64] {
            let layout = ChannelLayout(handlers: handlers, arenaBytes: 1 << 22)
            #expect(layout.bell(handlers) <= layout.sharedBytes)
            #expect(layout.sharedBytes % 4_096 == 0)
            #expect(layout.gate(handlers - 1, 63) + 16 <= layout.bell(handlers))
            #expect(layout.tail(handlers - 1) + 64 <= layout.mailbox(0))
            #expect(layout.mailbox(ChannelLayout.mailboxes - 1) + 64 <= layout.control(0))
            #expect(layout.control(UInt64(ChannelLayout.controls) - 1) + 64 <= layout.linesAt)
            #expect(layout.line(UInt32(ChannelLayout.lines) - 1) + 64 == layout.arenaAt)
            #expect(layout.downBytes == layout.arenaAt + 1 << 22)
        }
        #expect(MemoryLayout<LiveLine>.size == 64)
        #expect(MemoryLayout<ChannelControl>.size == 64)
        #expect(MemoryLayout<ChannelMailbox>.size <= 64)
        #expect(MemoryLayout<ChannelGate>.size == 16)
        #expect(MemoryLayout<ChannelHeader>.size <= Int(ChannelLayout.tailsAt))
    }
}
