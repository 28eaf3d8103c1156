// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Scheduling

/// A directory that is looked into for plugins, or would be, and why.
struct SearchedPlace {
    /// The source that names the directory.
    enum Origin: String {
        case environment, user, machine, installed, distribution

        /// The text for people.
        var text: String {
            switch self {
            case .environment: "of " + PluginSearchPath.variable
            case .user: "the user's"
            case .machine: "the machine's"
            case .installed: "installed with this program"
            case .distribution: "the distribution's"
            }
        }
    }

    let directory: String
    let origin: Origin
    let isUsed: Bool
    let exists: Bool
    /// Why it is not looked into, or cannot be: lower case, no full stop; nil where it is.
    let reason: String?
    /// The number of plugins in it, including those with faults.
    let plugins: Int
    let faulty: Int

    /// All places, in the order in which they are looked into; those that are not come last.
    static func all() -> [SearchedPlace] {
        let used = PluginSearchPath.ofProcess(installed: Installation.plugins).directories
        let isTrusted = !csys_has_more_rights()
        let usual = PluginSearchPath(
            environment: { $0 == PluginSearchPath.variable ? nil : Environment.value($0) },
            isTrusted: isTrusted, installed: Installation.plugins
        ).directories
        let isNamed = used != usual
        var places: [String: String] = [:]
        var all = used.map { directory in
            let place = Installation.place(of: directory) ?? directory
            let earlier = places.updateValue(directory, forKey: place)
            return SearchedPlace(
                directory, isNamed ? .environment : origin(of: directory),
                reason: earlier.map { "the same directory as \($0)" }, isUsed: earlier == nil)
        }
        all += usual.filter { !used.contains($0) }.map { directory in
            SearchedPlace(
                directory, origin(of: directory), reason: "\(PluginSearchPath.variable) is set",
                isUsed: false)
        }
        return all
    }

    /// Returns the ignored parts of the environment, with the reasons.
    static func remarks() -> [String] {
        let names = [PluginSearchPath.variable, "XDG_DATA_HOME", "HOME"]
        let given = names.filter { !(Environment.value($0) ?? "").isEmpty }
        if csys_has_more_rights() {
            return given.map {
                "\($0) is ignored: this process has more rights than who started it"
            }
        }
        var remarks = given.dropFirst(given.first == names[0] ? 1 : 0).filter {
            !(Environment.value($0) ?? "").begins(with: "/")
        }.map { "\($0) is ignored: it is not an absolute path" }
        if given.allSatisfy({ $0 == names[0] }) {
            remarks.append("the user has no directory of plugins: HOME is not set")
        }
        return remarks
    }

    private init(_ directory: String, _ origin: Origin, reason: String?, isUsed: Bool) {
        self.directory = directory
        self.origin = origin
        self.isUsed = isUsed
        exists = access(directory, F_OK) == 0
        guard isUsed else {
            self.reason = reason
            (plugins, faulty) = (0, 0)
            return
        }
        do throws(CommandError) {
            let search = try PluginSearch(single: [], named: [directory], failingWith: .faults)
            plugins = search.plugins.count
            faulty = search.plugins.count { $0.sound == nil }
            self.reason = nil
        } catch {
            (plugins, faulty) = (0, 0)
            self.reason = exists ? error.message : "it does not exist"
        }
    }

    private static func origin(of directory: String) -> Origin {
        // Without an environment and an installation those two are left.
        let fixed = PluginSearchPath(environment: { _ in nil }, isTrusted: false).directories
        return if directory == fixed.first {
            .machine
        } else if directory == fixed.last {
            .distribution
        } else if directory == Installation.plugins {
            .installed
        } else {
            .user
        }
    }
}
