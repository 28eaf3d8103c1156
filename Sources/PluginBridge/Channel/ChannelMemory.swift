// SPDX-License-Identifier: Apache-2.0
package import CSystem
package import Synchronization

/// The two mapped files of a channel, by the places of their layout.
package struct ChannelMemory: @unchecked Sendable {
    // Sendable: the files never move, and their words are atomic or have one writer.

    package let layout: ChannelLayout
    package let down: UnsafeMutableRawPointer
    package let up: UnsafeMutableRawPointer

    package init(
        _ layout: ChannelLayout, down: UnsafeMutableRawPointer, up: UnsafeMutableRawPointer
    ) {
        self.layout = layout
        self.down = down
        self.up = up
    }

    /// A host's side of new files. Writes the header.
    package init(
        _ layout: ChannelLayout, mapped channel: csys_channel, plugin: Int32, resultLimit: UInt64
    ) {
        self.init(
            layout, down: UnsafeMutableRawPointer(channel.down),
            up: UnsafeMutableRawPointer(channel.up))
        header.pointee.version = ChannelHeader.version
        header.pointee.handlers = UInt64(layout.handlers)
        header.pointee.arenaBytes = layout.arenaBytes
        header.pointee.resultLimit = resultLimit
        header.pointee.plugin = Int64(plugin)
    }

    /// A child's side. Returns nil if the files are not those of a channel.
    package init?(mapped channel: csys_channel) {
        let down = UnsafeMutableRawPointer(channel.down!)
        let header = down.assumingMemoryBound(to: ChannelHeader.self)
        guard channel.down_bytes >= 4_096, header.pointee.version == ChannelHeader.version,
            header.pointee.handlers <= UInt64(ChannelLayout.handlerLimit)
        else { return nil }
        let layout = ChannelLayout(
            handlers: Int(header.pointee.handlers), arenaBytes: header.pointee.arenaBytes)
        guard channel.down_bytes == layout.downBytes, channel.up_bytes == layout.upBytes else {
            return nil
        }
        self.init(layout, down: down, up: UnsafeMutableRawPointer(channel.up))
    }

    // MARK: down

    package var header: UnsafeMutablePointer<ChannelHeader> {
        down.assumingMemoryBound(to: ChannelHeader.self)
    }

    /// The time of the host's clock, in nanoseconds.
    package var now: UInt64 {
        let manual = header.pointee.manualNow.load(ordering: .acquiring)
        return manual == 0 ? csys_monotonic_ns() : manual
    }

    /// The number of tasks ever offered to a handler.
    package func tail(_ handler: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (down + Int(layout.tail(handler))).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    package func mailbox(_ index: Int) -> UnsafeMutablePointer<ChannelMailbox> {
        (down + Int(layout.mailbox(index))).assumingMemoryBound(to: ChannelMailbox.self)
    }

    package func control(_ position: UInt64) -> UnsafeMutablePointer<ChannelControl> {
        (down + Int(layout.control(position))).assumingMemoryBound(to: ChannelControl.self)
    }

    package func line(_ slot: UInt32) -> UnsafeMutablePointer<LiveLine> {
        (down + Int(layout.line(slot))).assumingMemoryBound(to: LiveLine.self)
    }

    /// Returns a part of the arena; nil if it is none.
    package func bytes(at offset: UInt64, count: UInt64) -> UnsafeRawBufferPointer? {
        guard offset >= layout.arenaAt, offset <= layout.downBytes,
            count <= layout.downBytes - offset
        else { return nil }
        return UnsafeRawBufferPointer(start: down + Int(offset), count: Int(count))
    }

    // MARK: up

    /// The channel reader's.
    package var readerBell: Bell { Bell(up + Int(ChannelLayout.bellsAt)) }
    /// A thread of the host that waits for a task.
    package var waiterBell: Bell { Bell(up + Int(ChannelLayout.bellsAt) + 64) }
    /// The thread of the child that reads control messages.
    package var controlBell: Bell { Bell(up + Int(ChannelLayout.bellsAt) + 128) }
    /// A thread of the child that waits for room in the ring.
    package var roomBell: Bell { Bell(up + Int(ChannelLayout.bellsAt) + 192) }
    /// Workers of the child that wait for a handler's tasks.
    package func bell(_ handler: Int) -> Bell { Bell(up + Int(layout.bell(handler))) }

    package func gate(_ handler: Int, _ position: UInt64) -> UnsafeMutablePointer<ChannelGate> {
        (up + Int(layout.gate(handler, position))).assumingMemoryBound(to: ChannelGate.self)
    }

    /// The record that a dying thread of the process writes.
    package var lastWords: UnsafeMutablePointer<csys_last_words> {
        (up + Int(layout.lastWordsAt)).assumingMemoryBound(to: csys_last_words.self)
    }

    /// The number of bytes ever written to the ring.
    package var ringTail: UnsafeMutablePointer<Atomic<UInt64>> {
        (up + Int(layout.ringTailAt)).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    package var ring: UnsafeMutablePointer<UInt8> {
        (up + Int(layout.ringAt)).assumingMemoryBound(to: UInt8.self)
    }
}

/// The first words of `down`.
package struct ChannelHeader: ~Copyable {
    /// Differs between versions of the layout.
    package var version: UInt64
    package var handlers: UInt64
    package var arenaBytes: UInt64
    package var resultLimit: UInt64
    package var plugin: Int64
    /// The time of a manual clock, or 0 for CLOCK_MONOTONIC.
    package let manualNow: Atomic<UInt64>
    /// The number of bytes of the ring that the host has read.
    package let ringHead: Atomic<UInt64>
    /// Not 0 while a thread of the host that waits for a task reads the ring itself: then its bell is
    /// rung, and not the channel reader's.
    package let isAwaited: Atomic<UInt32>
    /// The number of control messages ever written.
    package let controlTail: Atomic<UInt64>
    /// The number of events that the process may ever have posted, by the places that the host has
    /// reserved for them in its queue.
    package let eventCredits: Atomic<UInt64>

    static let version: UInt64 = 0x6375_7266_6577_0002
}

/// Where the reply to a call is put.
package struct ChannelMailbox: ~Copyable {
    /// The number of the call that is answered; futex(2).
    package let sequence: Atomic<UInt32>
    package var status: Int32
    package var at: UInt64
    package var bytes: UInt64
}

/// A control message.
package struct ChannelControl {
    /// A `ChannelOrder`.
    package var order: UInt32
    package var handler: UInt32
    package var task: UInt64
    /// The number by which the child says that it was carried out.
    package var token: UInt64
    package var value: Int64
    /// A part of the arena.
    package var at: UInt64
    package var bytes: UInt64
    private let padding: (UInt64, UInt64) = (0, 0)

    package init(
        _ order: ChannelOrder, token: UInt64, handler: UInt32 = 0, task: UInt64 = 0,
        value: Int64 = 0, at: UInt64 = 0, bytes: UInt64 = 0
    ) {
        self.order = order.rawValue
        self.handler = handler
        self.task = task
        self.token = token
        self.value = value
        self.at = at
        self.bytes = bytes
    }
}

/// A place of a handler's window, through which an offered task is taken or recalled.
///
/// The host stores a task's id, the child exchanges it for the id with `taken`, the host exchanges it
/// for 0. An exchange that fails for the host means that the child has taken the task.
package struct ChannelGate: ~Copyable {
    package let task: Atomic<UInt64>
    /// When the child took it, by the host's clock; stored before the exchange.
    package let takenAt: Atomic<UInt64>

    /// A bit that no task's id has: the slots' indices are shorter.
    package static var taken: UInt64 { 1 << 31 }
}
