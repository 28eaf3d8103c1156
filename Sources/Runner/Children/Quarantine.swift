// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// The plugins that a host does not run: in its store, where other hosts and commands see them, or in
/// memory if it has none.
final class Quarantine: Sendable {
    private let requests: RequestService
    private let state = Locked(State())

    private struct State {
        var list = QuarantineList()
        /// Entries that the store does not have yet.
        var unwritten: [QuarantinedPlugin] = []
    }

    init(_ requests: RequestService) { self.requests = requests }

    /// Reads the store's list, once it is open, and observes changes by other processes.
    func open(changed: @escaping @Sendable () -> Void) {
        let kept = requests.quarantine { [state] new in
            state.withLock { state in
                state.list = new
                // The other process did not see them.
                for entry in state.unwritten { _ = state.list.add(entry) }
            }
            changed()
        }
        state.withLock { $0.list = kept }
    }

    /// Whether it lasts longer than the host, so that contents are worth a digest.
    var isKept: Bool { requests.isStored }

    var isEmpty: Bool { state.withLock { $0.list.plugins.isEmpty } }

    /// The entry of a content; nil if that may be run.
    subscript(content: String) -> QuarantinedPlugin? { state.withLock { $0.list[content] } }

    /// Adds a build that has ended its processes too often.
    func add(_ content: String, _ plugin: String, _ reason: String) {
        let entry = QuarantinedPlugin(
            content: content, plugin: plugin, reason: reason, at: requests.moment.wall,
            isByHand: false)
        state.withLock { state in
            _ = state.list.add(entry)
            state.unwritten.append(entry)
        }
        requests.changeQuarantine {
            _ = $0.add(entry)
        } finish: { [state] in
            state.withLock { $0.unwritten.removeAll { $0 == entry } }
        }
    }

    /// Counts a process that has ended while it loaded a build, for the first time in this host. Returns whether
    /// the build is quarantined for it.
    func failedToLoad(_ content: String, _ plugin: String, _ reason: String) -> Bool {
        let now = requests.moment.wall
        let isTooOften = state.withLock { $0.list.failedToLoad(content, at: now) }
        requests.changeQuarantine {
            _ = $0.failedToLoad(content, at: now)
        } finish: {
        }
        if isTooOften { add(content, plugin, reason) }
        return isTooOften
    }

    /// A build was loaded: its earlier failures do not count.
    func loaded(_ content: String) {
        let hasFailed = state.withLock { state in
            defer { state.list.loaded(content) }
            return state.list.failedLoads.contains { $0.content == content }
        }
        guard hasFailed else { return }
        requests.changeQuarantine {
            $0.loaded(content)
        } finish: {
        }
    }

    /// Releases a content.
    func release(_ content: String) {
        let released = state.withLock { state in
            state.unwritten.removeAll { $0.content == content }
            return state.list.release(content)
        }
        guard !released.isEmpty else { return }
        requests.changeQuarantine {
            _ = $0.release(content)
        } finish: {
        }
    }
}
