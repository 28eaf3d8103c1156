// SPDX-License-Identifier: Apache-2.0
internal import Glibc
package import PluginBridge
import Scheduling

/// The files of a configuration: one, and those of the directory `conf.d` beside it, by name.
package struct ConfigurationFiles: Sendable {
    /// The absolute path of the first one.
    package let path: String
    /// Whether it may be missing.
    private let mayBeMissing: Bool

    /// Checks the name and the value of a threshold; returns the fault, or nil.
    package var thresholdCheck: ServiceConfiguration.ThresholdCheck = { _, _ in nil }
    /// Whether the machine has a time zone of a name.
    package var isZone: @Sendable (_ name: String) -> Bool = { _ in false }

    /// The name of the first file in its usual directory.
    package static var fileName: String { "curfew.json" }
    /// The largest file that is read, in bytes.
    private static var sizeLimit: Int { 1 << 20 }
    /// The maximum number of files in `conf.d`.
    private static var countLimit: Int { 1_024 }

    /// The files from a path that a person has named; a relative one counts from the current directory.
    package init(named path: String) {
        if path.begins(with: "/") {
            self.path = path
        } else {
            var here = [CChar](repeating: 0, count: Int(PATH_MAX))
            let directory = getcwd(&here, here.count).map { String(cString: $0) } ?? "."
            self.path = directory + "/" + path
        }
        mayBeMissing = false
    }

    private init(usual path: String) {
        self.path = path
        mayBeMissing = true
    }

    /// Returns the default files of the user: below `XDG_CONFIG_HOME`, else below `~/.config`. Returns nil
    /// if the environment names neither.
    ///
    /// - Parameter environment: the value of a variable, or nil.
    package static func usual(environment: (String) -> String?) -> ConfigurationFiles? {
        if let place = environment("XDG_CONFIG_HOME"), place.begins(with: "/") {
            return ConfigurationFiles(usual: "\(place)/curfew/\(fileName)")
        }
        guard let home = environment("HOME"), home.begins(with: "/") else { return nil }
        return ConfigurationFiles(usual: "\(home)/.config/curfew/\(fileName)")
    }

    /// Why the files cannot be used.
    package enum Failure: Error {
        /// A file cannot be opened, or others than its user could change it.
        case file(BridgeError)
        /// The files have faults.
        case faults([Diagnostic])
    }

    private func sources() throws(BridgeError) -> [DiagnosticSource] {
        var sources: [DiagnosticSource] = []
        if !mayBeMissing || Self.isThere(path) {
            sources.append(try Self.source(path))
        }
        for path in try more() { sources.append(try Self.source(path)) }
        return sources
    }

    /// Returns the store that the files name, whatever else is wrong with them: a host may use it that has read them before.
    /// Returns nil where they name none, or cannot be read. Blocks for the disk.
    package func store() -> String? {
        guard let sources = try? sources(), !sources.isEmpty else { return nil }
        return ServiceConfiguration.read(sources, threshold: { _, _ in nil }, isZone: { _ in true })
        {
            _ in .success([])
        }.0.store
    }

    /// Reads all files. Returns nil if the default files do not exist. Blocks for the disk.
    package func read() throws(Failure) -> ServiceConfiguration? {
        let sources: [DiagnosticSource]
        do throws(BridgeError) {
            sources = try self.sources()
        } catch {
            throw .file(error)
        }
        guard !sources.isEmpty else { return nil }
        let (configuration, faults) = ServiceConfiguration.read(
            sources, threshold: thresholdCheck, isZone: isZone
        ) { path in
            do throws(BridgeError) {
                let file = try TrustedFile(path, use: "is not read")
                return .success(
                    try file.contents(limit: ServiceConfiguration.payloadLimit))
            } catch {
                return .failure(ServiceConfiguration.PayloadFault(reason: error.message))
            }
        }
        guard faults.isEmpty else { throw .faults(faults) }
        return configuration
    }

    /// Whether something has a name, if only a link to what is not there.
    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR
    }

    private static func source(_ path: String) throws(BridgeError) -> DiagnosticSource {
        let bytes = try TrustedFile(path, use: "is not read").contents(limit: sizeLimit)
        return DiagnosticSource(file: path, bytes: bytes)
    }

    /// Returns the files of `conf.d`, ordered by name. Hidden files are ignored: editors make them.
    private func more() throws(BridgeError) -> [String] {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.utf8.startIndex
        let directory = String(path[..<end]) + "/conf.d"
        guard Self.isThere(directory) else { return [] }
        var status = stat()
        guard stat(directory, &status) == 0, access(directory, R_OK | X_OK) == 0 else {
            throw BridgeError(
                .system, "\(directory) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw BridgeError(.system, "\(directory) is no directory")
        }
        let names = PluginDirectory.names(in: directory).filter { $0.ends(with: ".json") }
        guard names.count <= Self.countLimit else {
            throw BridgeError(
                .system,
                "\(directory) has \(names.count) files, and may have \(Self.countLimit)")
        }
        return names.sorted().map { "\(directory)/\($0)" }
    }
}
