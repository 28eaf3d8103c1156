// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Scheduling

/// Reads any bytes as the records that a plugin's process writes for its host, one after the other, and
/// each body as every message that there is.
@c(LLVMFuzzerTestOneInput)
public func fuzzChannel(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var rest = UnsafeRawBufferPointer(start: start, count: count)
    while rest.count >= ChannelLayout.headerBytes {
        let words = (
            rest.loadUnaligned(as: UInt64.self),
            rest.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
        guard let record = ChannelRecord(words: words) else {
            rest = UnsafeRawBufferPointer(rebasing: rest[8...])
            continue
        }
        precondition(record.words == words, "a header has bits that no record keeps")
        precondition(record.size % 8 == 0 && record.size <= UInt64(ChannelLayout.recordBytes))
        let body = UnsafeRawBufferPointer(
            rebasing: rest.dropFirst(ChannelLayout.headerBytes).prefix(Int(record.bytes)))
        for message in messages { message(body) }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(record.size)))
    }
    return 0
}

/// What is read out of bodies, in the order of their parts.
private let messages: [@Sendable (UnsafeRawBufferPointer) -> Void] = [
    { body in
        var reader = ChannelReader(body)
        guard let text = reader.text(), reader.text() != nil, reader.text() != nil else {
            return refuses(&reader)
        }
        precondition(text.utf8.count <= 3 * body.count)
    },
    { body in
        var reader = ChannelReader(body)
        guard reader.error() != nil, reader.flag() != nil else { return refuses(&reader) }
        while reader.flag() != nil {}
        refuses(&reader)
    },
    { body in
        var reader = ChannelReader(body)
        guard let selector = reader.selector(), let values = reader.values() else { return }
        precondition(values.count <= EventSelector.arityLimit)
        var writer = ChannelWriter()
        writer.add(selector)
        writer.add(values)
        writer.bytes.withUnsafeBytes { bytes in
            var again = ChannelReader(bytes)
            precondition(again.selector() == selector && again.values()?.count == values.count)
            precondition(again.isComplete)
        }
    },
    { body in
        var reader = ChannelReader(body)
        _ = reader.options { options -> Bool in
            if let cron = options.cron {
                precondition(String(cString: cron).utf8.count <= 3 * body.count)
            }
            if let key = options.key {
                precondition(String(cString: key).utf8.count <= 3 * body.count)
            }
            guard let payload = options.payload else { return true }
            let bytes = UnsafeRawBufferPointer(start: payload, count: Int(options.payload_bytes))
            return bytes.reduce(0, ^) == 0
        }
    },
    { body in
        var reader = ChannelReader(body)
        _ = reader.structs(curfew_request_state())
    },
    // A posted event, and posted progress.
    { body in
        var reader = ChannelReader(body)
        guard reader.number(UInt64.self) != nil, reader.selector() != nil,
            let values = reader.values()
        else { return }
        precondition(body.count >= 18 + values.count && values.count <= EventSelector.arityLimit)
    },
    { body in
        var reader = ChannelReader(body)
        guard reader.number(UInt64.self) != nil, reader.double() != nil, let text = reader.text()
        else { return }
        precondition(body.count >= 24 && text.utf8.count <= 3 * (body.count - 24))
    },
    { body in
        var reader = ChannelReader(body)
        _ = ChannelHello(from: &reader)
    },
    { body in
        var reader = ChannelReader(body)
        _ = (reader.number(UInt16.self), reader.number(UInt16.self).flatMap(ChannelCall.init))
        precondition(reader.takeRest().count <= body.count)
    },
]

/// Once a part did not fit, none does.
private func refuses(_ reader: inout ChannelReader) {
    guard !reader.isComplete else { return }
    precondition(reader.flag() == nil && reader.raw() == nil, "a message goes on after a fault")
}
