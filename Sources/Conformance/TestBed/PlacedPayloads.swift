// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import CurfewValues
import Glibc

/// The payloads of tasks, in memory that shows how a plugin uses it. Never released, so that late uses are seen.
final class PlacedPayloads: Sendable {
    enum Placement: Sendable {
        case hosts
        /// Cannot be written to.
        case readOnly
        /// Memory whose end is followed by an unreadable page.
        case guarded
        /// Cannot be read any more once the task is over.
        case poisoned
    }

    /// Addresses, by task.
    private struct Placed {
        var payloads: [UInt64: UInt] = [:]
        var sizes: [UInt64: Int] = [:]
        var names: [UInt64: (address: UInt, length: Int)] = [:]
    }

    private let placement: Placement
    private let placed = Locked(Placed())

    init(_ placement: Placement) { self.placement = placement }

    /// Puts the payload where it is wanted, the first time a task asks.
    func place(_ info: UnsafeMutablePointer<curfew_task_info>, _ task: curfew_task) {
        let needed = MemoryLayout<curfew_task_info>.offset(of: \.payload_bytes)! + 8
        if placement == .poisoned, info.pointee.struct_size >= needed { placeName(info, task) }
        guard placement != .hosts, info.pointee.struct_size >= needed,
            info.pointee.payload_bytes > 0,
            let original = info.pointee.payload
        else { return }
        let count = Int(info.pointee.payload_bytes)
        let source = UInt(bitPattern: original)
        let address = placed.withLock { state -> UInt in
            if let known = state.payloads[task] { return known }
            // Behind what only must not be written there is room, and it is zero.
            let memory = csys_guarded_map(UInt64(count + (placement == .guarded ? 0 : 64)))!
            memory.copyMemory(from: UnsafeRawPointer(bitPattern: source)!, byteCount: count)
            if placement == .readOnly { csys_protect(memory, UInt64(count), true, false) }
            state.payloads[task] = UInt(bitPattern: memory)
            state.sizes[task] = count
            return UInt(bitPattern: memory)
        }
        info.pointee.payload = UnsafeRawPointer(bitPattern: address)
    }

    /// The identifier is the host's as well, and goes with the payload.
    private func placeName(_ info: UnsafeMutablePointer<curfew_task_info>, _ task: curfew_task) {
        let length = strlen(info.pointee.identifier) + 1
        let source = UInt(bitPattern: info.pointee.identifier)
        let address = placed.withLock { state -> UInt in
            if let known = state.names[task]?.address { return known }
            let memory = csys_guarded_map(UInt64(length))!
            memory.copyMemory(
                from: UnsafeRawPointer(bitPattern: source)!, byteCount: length)
            state.names[task] = (UInt(bitPattern: memory), length)
            return UInt(bitPattern: memory)
        }
        info.pointee.identifier = UnsafePointer(bitPattern: address)!
    }

    /// The task is over: nothing of what it was given can be read any more.
    func release(_ task: curfew_task) {
        guard placement == .poisoned else { return }
        if let name = placed.withLock({ $0.names[task] }) {
            csys_protect(
                UnsafeMutableRawPointer(bitPattern: name.address)!, UInt64(name.length), false,
                false)
        }
        let (address, count) = placed.withLock { ($0.payloads[task], $0.sizes[task] ?? 0) }
        if let memory = address.flatMap(UnsafeMutableRawPointer.init(bitPattern:)) {
            csys_protect(memory, UInt64(count), false, false)
        }
    }
}
