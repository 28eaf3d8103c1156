// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc
import Scheduling

/// The directories of `make install`, relative to the program.
enum Installation {
    /// The program's file, without links; nil where /proc does not tell.
    static var program: String? { place(of: "/proc/self/exe") }

    /// The directory above the one that the program is in; "" is the root.
    static var prefix: String? {
        program.map { $0.parts(at: "/").dropLast(2).map { "/" + $0 }.joined() }
    }

    static var plugins: String? { prefix.map { $0 + "/lib/curfew/plugins" } }
    static var schema: String? { prefix.map { $0 + "/share/curfew/manifest.schema.json" } }
    /// The directory of the templates of `curfew new`.
    static var templates: String? { prefix.map { $0 + "/share/curfew/templates" } }
    /// The library of this very version.
    static var library: String? {
        prefix.map { $0 + "/lib/libcurfew.so." + CURFEW_VERSION_STRING }
    }

    /// The path without links and dots; nil where there is nothing, or it is not UTF-8.
    static func place(of path: String) -> String? {
        guard let place = realpath(path, nil) else { return nil }
        defer { free(place) }
        return String(validatingCString: place)
    }
}
