// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// The state of the process that no plugin may change, at one moment.
struct ProcessGlobals {
    private let ids = ProcessGlobals.identity
    private let root = ProcessGlobals.rootDirectory
    private let umask = csys_umask()
    private let directory = ProcessGlobals.text { getcwd(nil, 0) }
    private let environment = csys_environment_hash()
    private let locale = setlocale(LC_ALL, nil).map { String(cString: $0) } ?? ""
    private let nice = csys_nice_value()
    private let traits = Traits(csys_process_traits)
    private let limits = {
        var limits = [UInt64](repeating: 0, count: 32)
        csys_resource_limits(&limits)
        return limits
    }()

    /// User and group ids, with what they are called.
    private static var identity: [(name: String, id: UInt32)] {
        var ids = csys_ids()
        csys_get_ids(&ids)
        return [
            ("real user", ids.users.0), ("effective user", ids.users.1),
            ("saved user", ids.users.2), ("real group", ids.groups.0),
            ("effective group", ids.groups.1), ("saved group", ids.groups.2),
        ]
    }

    private static var rootDirectory: [UInt64] {
        var (device, file): (UInt64, UInt64) = (0, 0)
        return csys_root_directory(&device, &file) ? [device, file] : []
    }

    private static func text(_ body: () -> UnsafeMutablePointer<CChar>?) -> String {
        guard let text = body() else { return "" }
        defer { free(text) }
        return String(cString: text)
    }

    /// Returns the differences, each worded to follow "it".
    func changes(to now: ProcessGlobals) -> [String] {
        var changes: [String] = []
        for (before, after) in zip(ids, now.ids) where before.id != after.id {
            changes.append("changed the \(before.name) id (\(before.id) → \(after.id))")
        }
        // From inside of another root the working directory has no path, and nothing is in /proc.
        if now.root != root {
            return changes + ["changed the root directory"]
        }
        if now.umask != umask, now.umask >= 0, umask >= 0 {
            changes.append(
                "changed the umask (0\(String(umask, radix: 8)) → 0\(String(now.umask, radix: 8)))")
        }
        if now.directory != directory {
            changes.append("changed the working directory (to \(now.directory))")
        }
        if now.environment != environment { changes.append("changed the environment") }
        if now.locale != locale { changes.append("changed the locale (to \(now.locale))") }
        if now.nice != nice { changes.append("changed the nice value (\(nice) → \(now.nice))") }
        if now.limits != limits { changes.append("changed a resource limit") }
        changes += traits.changes(to: now.traits).map { "changed \($0)" }
        return changes
    }
}
