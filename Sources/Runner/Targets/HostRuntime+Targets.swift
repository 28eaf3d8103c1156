// SPDX-License-Identifier: Apache-2.0
public import PluginBridge

extension HostRuntime {
    /// Makes a target of events. Its name is for a person. Throws `.invalid`, `.exhausted` or
    /// `.closing`.
    public func makeTarget(
        _ name: String, _ options: EventTarget.Options = EventTarget.Options()
    ) throws(BridgeError) -> EventTarget {
        guard isOpen else { throw HostRuntime.closing }
        guard (1...128).contains(name.utf8.count) else {
            throw BridgeError(.invalid, "a target's name is 1…128 bytes long")
        }
        return try targets.add { EventTarget(name, number: $0, options, self) }
    }

    /// A target by its number; nil when it was closed.
    public func target(_ number: UInt64) -> EventTarget? { targets[number] }

    /// Has work done on the loop's thread, in its turn. Never refused: once nobody turns the loop
    /// any more, the calling thread does it.
    public func postToLoop(_ work: @escaping @Sendable () -> Void) { events.post(work) }

    /// Runs `body` if the calling thread is the loop's: inside of what it delivers, or, where the
    /// embedder turns the loop, on the thread that does so. Returns whether it was.
    public func runOnLoop(_ body: () -> Void) -> Bool { events.onLoop(body) != nil }

    /// True inside of what the loop of this host delivers.
    public var isLoopThread: Bool { events.isLoopThread }
}
