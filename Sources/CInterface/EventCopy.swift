// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Runner
import Scheduling

/// A copy of an event that the caller owns: one block of memory with its values and texts.
enum EventCopy {
    static func make(_ event: HostEvent) -> UnsafeMutablePointer<curfew_event> {
        make(
            event.selector.description, event.values, task: event.task, sequence: event.sequence)
    }

    static func make(
        _ selector: String, _ list: [EventValue], task: UInt64 = 0, sequence: UInt64 = 0
    ) -> UnsafeMutablePointer<curfew_event> {
        var bytes = header + list.count * MemoryLayout<curfew_value>.stride
        bytes += selector.utf8.count + 1 + EventValue.textBytes(of: list)
        let raw = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
        let values = (raw + header).bindMemory(
            to: curfew_value.self, capacity: max(1, list.count))
        var texts = raw + header + list.count * MemoryLayout<curfew_value>.stride
        let name = keep(selector, &texts)
        for (index, value) in list.enumerated() {
            values[index] = curfew_value(value, texts: &texts)
        }
        let result = raw.bindMemory(to: curfew_event.self, capacity: 1)
        result.initialize(
            to: curfew_event(
                struct_size: UInt32(MemoryLayout<curfew_event>.size),
                count: UInt32(list.count), selector: name, values: UnsafePointer(values),
                task: task, sequence: sequence))
        return result
    }

    private static let header = (MemoryLayout<curfew_event>.size + 15) & ~15

    private static func keep(
        _ text: String, _ texts: inout UnsafeMutableRawPointer
    ) -> UnsafePointer<CChar> {
        var offset = 0
        for byte in text.utf8 {
            texts.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            offset += 1
        }
        texts.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
        defer { texts += offset + 1 }
        return UnsafePointer(texts.assumingMemoryBound(to: CChar.self))
    }
}
