// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
package import PluginBridge

/// The program curfew-child, which starts programs and plugins as children of the host.
package enum HelperProgram {
    static var name: String { "curfew-child" }

    /// Where Curfew is installed by default, and where a distribution installs it, in the order of the
    /// directories of plugins.
    private static var prefixes: [String] { ["/usr/local", "/usr"] }

    /// The paths at which it can be, in the order in which they are tried.
    ///
    /// - Parameters:
    ///   - configured: the only one, where it is given.
    ///   - executable: the file that this process runs.
    ///   - library: the file that has this code; the same one, or libcurfew.so.
    static func candidates(
        configured: String?, executable: String?, library: String?
    ) -> [String] {
        if let configured { return [configured] }
        var paths: [String] = []
        for file in [executable, library] {
            guard let file, let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { continue }
            let folder = String(file[..<slash])
            for path in ["\(folder)/\(name)", "\(folder)/../libexec/curfew/\(name)"]
            where !paths.contains(path) {
                paths.append(path)
            }
        }
        // An embedder that links the package is not where Curfew is installed.
        return paths + prefixes.map { "\($0)/libexec/curfew/\(name)" }
    }

    /// Opens the first of the candidates that is there.
    static func open(configured: String?) throws(BridgeError) -> TrustedProgram {
        let paths = candidates(
            configured: configured, executable: executable, library: library)
        for path in paths where access(path, F_OK) == 0 { return try TrustedProgram(path) }
        let places = paths.isEmpty ? "this process has no path" : paths.joined(separator: ", ")
        throw BridgeError(
            .system,
            "\(name), which starts programs and plugins as processes, is not installed; looked for: \(places); install Curfew, or set its path in the configuration"
        )
    }

    /// Throws if curfew-child cannot be run, so that no plugin can have a process. Starts nothing.
    package static func check() throws(BridgeError) { _ = try open(configured: nil) }

    private static var executable: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard length > 0 else { return nil }
        return String(
            decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static var library: String? {
        // Relative for a program that was started by a relative path: then it is no library.
        let function: @convention(c) () -> UInt32 = csys_layout
        return csys_symbol_file(unsafeBitCast(function, to: UnsafeRawPointer.self))
            .map { String(cString: $0) }
            .flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    }
}
