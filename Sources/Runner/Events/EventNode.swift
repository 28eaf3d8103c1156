// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc
import Scheduling
import Synchronization

/// A queued event other than a done event, followed by a copy of its parameters; or queued work.
struct EventNode: ~Copyable {
    let event: UInt32
    let count: UInt32
    let task: UInt64
    /// Of its values.
    var textBytes: UInt64 = 0
    /// Nil for an event.
    var work: Unmanaged<LoopWork>?

    /// Values of `event` for work that counts against the queue's limit, or does not.
    static let limitedWork = UInt32.max - 1
    static let unlimitedWork = UInt32.max

    private static let header = (MemoryLayout<EventNode>.size + 15) & ~15

    static func make(
        event: UInt32, values: [EventValue], task: UInt64
    ) -> UnsafeMutablePointer<EventNode> {
        let textBytes = EventValue.textBytes(of: values)
        let raw = allocate(
            header + values.count * MemoryLayout<curfew_value>.stride + textBytes)
        let node = raw.bindMemory(to: EventNode.self, capacity: 1)
        node.initialize(
            to: EventNode(
                event: event, count: UInt32(values.count), task: task,
                textBytes: UInt64(textBytes)))
        let target = (raw + header).bindMemory(to: curfew_value.self, capacity: values.count)
        var texts = raw + header + values.count * MemoryLayout<curfew_value>.stride
        for (index, value) in values.enumerated() {
            target[index] = curfew_value(value, texts: &texts)
        }
        return node
    }

    static func make(_ work: LoopWork, isLimited: Bool) -> UnsafeMutablePointer<EventNode> {
        let raw = allocate(header)
        let node = raw.bindMemory(to: EventNode.self, capacity: 1)
        node.initialize(
            to: EventNode(
                event: isLimited ? limitedWork : unlimitedWork, count: 0, task: 0,
                work: Unmanaged.passRetained(work)))
        return node
    }

    /// Takes the work out of the node; the caller owns the reference.
    static func takeWork(_ node: UnsafeMutablePointer<EventNode>) -> LoopWork? {
        defer { node.pointee.work = nil }
        return node.pointee.work?.takeRetainedValue()
    }

    static func values(
        of node: UnsafeMutablePointer<EventNode>
    ) -> UnsafeMutablePointer<curfew_value> {
        (UnsafeMutableRawPointer(node) + header).assumingMemoryBound(to: curfew_value.self)
    }

    static func free(_ node: UnsafeMutablePointer<EventNode>) {
        node.pointee.work?.release()
        node.deinitialize(count: 1)
        Glibc.free(node)
    }

    /// Allocates with malloc(3), which aligns to 16 bytes. Swift allocates aligned memory with
    /// posix_memalign(3), which has no free lists for small blocks and takes three times as long.
    private static func allocate(_ bytes: Int) -> UnsafeMutableRawPointer {
        guard let memory = malloc(bytes) else { fatalError("no memory is left for an event") }
        return memory
    }
}
