// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Glibc

/// The control groups of a host's children, version 2, below the host's own where that is delegated.
///
/// The tree of groups belongs to its manager, mostly systemd, which leaves a part of it to a service on
/// demand and marks it with the attribute `user.delegate` or `trusted.delegate` (systemd, "Control Group
/// APIs and Delegation"). Without the mark nothing is changed there.
final class ControlGroups: Sendable {
    private let state: Locked<State>

    private struct State {
        var place: Place
        /// The number of the next group.
        var next = 1
        /// Groups whose processes had not ended when they were to be removed.
        var leftovers: [ControlGroup] = []
    }

    private enum Place {
        case unknown(entersLeaf: Bool)
        case delegated(ControlGroupDirectory)
        case none(String)
    }

    /// - Parameter entersLeaf: this process is the host's alone, so that it may move into a group `main`
    ///   below its own. The kernel sets limits only below a group that has no process itself.
    init(entersLeaf: Bool) {
        state = Locked(State(place: .unknown(entersLeaf: entersLeaf)))
        // Before any process starts that would have to move as well.
        if entersLeaf { _ = place }
    }

    /// Makes a group for a child. Returns nil where there are none, with the reason in `reason`.
    func make(_ limits: csys_limits) -> Result<ControlGroup, Refusal> {
        let parent: ControlGroupDirectory
        switch place {
        case .delegated(let directory): parent = directory
        case .none(let reason): return .failure(Refusal(reason: reason))
        case .unknown: preconditionFailure("the place of control groups was looked for")
        }
        removeLeftovers()
        // Another host may see itself under the same process id.
        for _ in 0..<64 {
            let number = state.withLock { state in
                defer { state.next += 1 }
                return state.next
            }
            if let group = ControlGroup(Self.name(getpid(), number), below: parent, limits) {
                return .success(group)
            }
            guard errno == EEXIST else { break }
        }
        var reason = "none can be made below the host's own: \(String(cString: strerror(errno)))"
        if errno == EAGAIN { reason += " (cgroup.max.descendants or cgroup.max.depth)" }
        return .failure(Refusal(reason: reason))
    }

    /// Why a child has no group of its own.
    struct Refusal: Error {
        let reason: String
    }

    /// Kills what is left in a group, and removes it now or once its processes have ended.
    func end(_ group: ControlGroup) {
        if !group.end() { state.withLock { $0.leftovers.append(group) } }
    }

    /// Removes the groups whose processes have ended meanwhile.
    func removeLeftovers() {
        state.withLock { state in state.leftovers.removeAll { $0.end() } }
    }

    // MARK: Names

    private static let prefix = "curfew-"

    private static func name(_ process: Int32, _ number: Int) -> String {
        "\(prefix)\(process)-\(number)"
    }

    /// Removes what hosts have left that were killed. A group with processes stays.
    private static func removeStale(in directory: ControlGroupDirectory) {
        for name in directory.names where name.hasPrefix(prefix) {
            let process = name.dropFirst(prefix.count).split(separator: "-").first
            guard let id = process.flatMap({ Int32($0) }), id != getpid(),
                kill(id, 0) != 0, errno == ESRCH
            else { continue }
            _ = directory.remove(name)
        }
    }

    // MARK: The place

    private var place: Place {
        state.withLock { state in
            if case .unknown(let entersLeaf) = state.place {
                state.place = Self.find(entersLeaf: entersLeaf)
                if case .delegated(let directory) = state.place { Self.removeStale(in: directory) }
            }
            return state.place
        }
    }

    private static let wanted = ["memory", "pids"]
    private static let leaf = "main"

    private static func find(entersLeaf: Bool) -> Place {
        guard
            let path = ControlGroupPath(
                groups: text("/proc/self/cgroup"), mounts: text("/proc/self/mountinfo"))
        else { return .none("this process is in no group of cgroup v2 that can be seen here") }
        guard let own = ControlGroupDirectory(path: path.text) else {
            return .none("\(path.text): \(String(cString: strerror(errno)))")
        }
        // A manager may start the process in a leaf already.
        if let parent = path.parent.flatMap({ ControlGroupDirectory(path: $0) }),
            parent.isDelegated, !parent.enabledBelow.isEmpty
        {
            return .delegated(parent)
        }
        guard own.isDelegated else {
            return .none("none is delegated to this process (Delegate=yes in a unit of systemd)")
        }
        if entersLeaf, own.enabledBelow.isEmpty, own.processes == [getpid()],
            let leaf = own.make(Self.leaf, mayExist: true),
            leaf.write(UInt64(getpid()), to: "cgroup.procs")
        {
            // One that is missing here does not keep the other one from being set.
            for controller in wanted {
                _ = own.write("+\(controller)", to: "cgroup.subtree_control")
            }
        }
        return .delegated(own)
    }

    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { Glibc.close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file, &piece, piece.count), count > 0 {
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
