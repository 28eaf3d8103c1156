// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import Synchronization

/// Behind a `PluginTable`: whose it is, and what it may be used for now.
final class PluginTableContext: @unchecked Sendable {
    // Sendable: `served` and `plugin` change only while the gate is closed and no thread is inside;
    // the rest is atomic.

    private var served: (any TaskServices)?
    private(set) var plugin: Int32 = 0
    private let process = csys_process_mark()
    private let owner = Atomic<UInt>(0)
    let registering = Atomic<Bool>(false)
    /// Closed while no host is served.
    let gate = CallGate()

    init() { gate.close() }

    /// For those who have passed the gate.
    var services: any TaskServices {
        guard let served else { preconditionFailure("an open gate, and no host behind it") }
        return served
    }

    /// False in a child that was forked.
    @inline(__always) var isInItsProcess: Bool { csys_is_process(process) }

    /// True on a worker or a deadline thread of the host, which outlives them. Does not touch the
    /// host, which may be gone.
    @inline(__always) var isOwnThread: Bool {
        let owner = UnsafeRawPointer(bitPattern: owner.load(ordering: .relaxed))
        let role = csys_thread_role(owner)
        return role == UInt64(CURFEW_THREAD_WORKER) || role == UInt64(CURFEW_THREAD_DEADLINE)
    }

    func serve(_ services: (any TaskServices)?, plugin: Int32, owner: UnsafeRawPointer?) {
        served = services
        self.plugin = plugin
        self.owner.store(UInt(bitPattern: owner), ordering: .relaxed)
    }
}
