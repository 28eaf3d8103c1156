// SPDX-License-Identifier: Apache-2.0
internal import CSystem
internal import Glibc

/// The directories in which plugins are searched, the first one first.
///
/// `CURFEW_PLUGIN_PATH` names them, with colons between two. Without it they are the user's own,
/// those of the machine, and those of the distribution:
/// `$XDG_DATA_HOME/curfew/plugins`, `/usr/local/lib/curfew/plugins`, `/usr/lib/curfew/plugins`. Any
/// of them may be missing.
package struct PluginSearchPath: Hashable, Sendable {
    /// The variable that replaces the usual directories.
    package static var variable: String { "CURFEW_PLUGIN_PATH" }

    /// Each of them once, in order.
    package let directories: [String]

    /// Works the path out.
    ///
    /// - Parameters:
    ///   - environment: the value of a variable, or nil.
    ///   - isTrusted: false where the process has rights that its caller has not: such a caller
    ///     must not choose what code is loaded, so the environment says nothing.
    ///   - installed: one more directory, after those of the machine.
    package init(
        environment: (String) -> String?, isTrusted: Bool, installed: String? = nil
    ) {
        self.init(
            bytes: { environment($0).map { Array($0.utf8) } }, isTrusted: isTrusted,
            installed: installed)
    }

    /// Works the path out from an environment of bytes. A directory whose name is not UTF-8 is left
    /// out, since its repaired name is that of another one.
    init(bytes: (String) -> [UInt8]?, isTrusted: Bool, installed: String?) {
        func value(_ name: String) -> String? {
            isTrusted ? bytes(name).flatMap { String(validating: $0, as: UTF8.self) } : nil
        }
        let elements =
            (isTrusted ? bytes(Self.variable) : nil)?.split(separator: UInt8(ascii: ":")) ?? []
        var directories = elements.compactMap { String(validating: $0, as: UTF8.self) }
        if elements.isEmpty {
            directories = [
                Self.dataDirectory(data: value("XDG_DATA_HOME"), home: value("HOME"))
                    .map { $0 + Self.below }, Self.machine, installed,
                "/usr/lib" + Self.below,
            ].compactMap(\.self)
        }
        var seen: Set<[UInt8]> = []
        self.directories = directories.filter { seen.insert(Array($0.utf8)).inserted }
    }

    /// The path of this process, as its environment is now.
    package static func ofProcess(installed: String? = nil) -> PluginSearchPath {
        PluginSearchPath(
            bytes: { name in
                getenv(name).map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
            },
            isTrusted: !csys_has_more_rights(), installed: installed)
    }

    /// The directory of the user's own plugins, or nil where it is not known.
    package static var user: String? {
        guard !csys_has_more_rights() else { return nil }
        func value(_ name: String) -> String? {
            getenv(name).flatMap { String(validatingCString: $0) }
        }
        return dataDirectory(data: value("XDG_DATA_HOME"), home: value("HOME")).map { $0 + below }
    }

    /// The directory of the plugins that an administrator installs for every user.
    package static var machine: String { "/usr/local/lib" + below }

    private static var below: String { "/curfew/plugins" }

    /// Where the user's programs keep their data. A path that is not absolute is ignored, as the
    /// XDG Base Directory Specification demands.
    private static func dataDirectory(data: String?, home: String?) -> String? {
        if let data, PathText.isAbsolute(data) { return data }
        guard let home, PathText.isAbsolute(home) else { return nil }
        return home + "/.local/share"
    }
}
