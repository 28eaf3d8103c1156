// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import Foundation

/// The file from which `curfew serve` knows how to start this app when one of its requests is due and it does not run.
///
/// It is written with the first request of a process, and lies in `curfew/apps` in the directory for states of a user's
/// programs.
final class AppStartFile: Sendable {
    private let directory: String
    private let app: String
    private let store: String
    private let arguments: [String]
    private let isWritten = Locked(false)
    private let write: @Sendable (AppLogLevel, String) -> Void

    /// The variables by which an app finds its store and its property list.
    private static let variables = ["XDG_STATE_HOME", "CURFEW_INFO_PLIST", "HOME"]

    /// - Parameters:
    ///   - state: the directory for states of a user's programs.
    ///   - app: the identifier of the bundle.
    ///   - store: the directory of the store.
    ///   - arguments: those with which the app is started, without its name.
    init(
        state: String, app: String, store: String, arguments: [String],
        _ write: @escaping @Sendable (AppLogLevel, String) -> Void
    ) {
        directory = state + "/curfew/apps"
        (self.app, self.store, self.arguments, self.write) = (app, store, arguments, write)
    }

    /// Writes it, once. Without it the app works, and is not started.
    func writeOnce() {
        let isFirst = isWritten.withLock { isWritten in
            defer { isWritten = true }
            return !isWritten
        }
        guard isFirst else { return }
        do {
            try save()
        } catch {
            write(
                .info,
                "curfew serve cannot start this app when a task is due: \(directory)/\(app).json cannot be written: \(error.localizedDescription)"
            )
        }
    }

    private func save() throws {
        let environment = ProcessInfo.processInfo.environment.filter {
            Self.variables.contains($0.key)
        }
        let members: [String: Any] = [
            "app": app, "store": Self.absolute(store), "executable": AppHost.executable,
            "arguments": arguments, "environment": environment,
        ]
        let data = try JSONSerialization.data(
            withJSONObject: members,
            options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        let path = "\(directory)/\(app).json"
        guard FileManager.default.contents(atPath: path) != data else { return }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        // Others see the whole file or none.
        let early = "\(directory)/.\(app).\(getpid())"
        defer { unlink(early) }
        guard
            FileManager.default.createFile(
                atPath: early, contents: data, attributes: [.posixPermissions: 0o600]),
            rename(early, path) == 0
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    private static func absolute(_ path: String) -> String {
        path.utf8.first == UInt8(ascii: "/")
            ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
