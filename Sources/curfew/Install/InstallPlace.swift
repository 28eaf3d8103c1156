// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import PluginStore
import Scheduling

/// Where plugins are installed, and the keys that count there: the user's place, or the system's.
struct InstallPlace {
    static let systemOption = CommandOption(
        name: "system", summary: "for every user of this machine, in \(PluginSearchPath.machine)")

    let directory: String
    /// The directory that `curfew trust add` writes to.
    let ownKeys: String
    /// The directories of the keys whose signatures count: for every user only those of the system.
    let keyDirectories: [String]
    /// The option by which another command means the same place, after a blank.
    let option: String

    init(_ arguments: Arguments) throws(CommandError) {
        if arguments.has(Self.systemOption) {
            directory = PluginSearchPath.machine
            ownKeys = TrustPlaces.system
            keyDirectories = [TrustPlaces.system]
            option = " --system"
            return
        }
        guard let directory = PluginSearchPath.user, let keys = TrustPlaces.user else {
            throw CommandError(
                .usage, "there is no directory for the user's plugins: HOME is not set",
                notes: ["nothing was done"], help: ["install for every user: --system"])
        }
        self.directory = directory
        ownKeys = keys
        keyDirectories = TrustPlaces.directories
        option = ""
    }

    var keys: TrustedKeys { TrustedKeys(in: keyDirectories) }

    /// Opens it, and makes it where it is missing; waits for another command that changes it.
    func open(_ console: Console) throws(CommandError) -> InstallRoot {
        // What others could write to would not be loaded.
        _ = umask(0o022)
        return try Self.translated { () throws(StoreFailure) in
            try InstallRoot(
                directory,
                wait: { console.errors.line("waits for another command that changes plugins") },
                audit: Self.line)
        }
    }

    /// A change as a line of the audit.
    private static func line(_ entry: AuditEntry) -> String {
        let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
        return JSONItem.object([
            ("time", .text(DateText.utc(csys_realtime_ns()))), ("uid", .integer(Int64(getuid()))),
            ("user", .text(orNull: user)), ("what", .text(entry.change.rawValue)),
            ("id", .text(entry.id)), ("version", .text(orNull: entry.version)),
            ("hash", .text(orNull: entry.digest)), ("signer", .text(orNull: entry.signer)),
            ("before", .text(orNull: entry.before)),
        ]).written
    }

    static func translated<Result>(
        _ body: () throws(StoreFailure) -> Result
    ) throws(CommandError) -> Result {
        do throws(StoreFailure) {
            return try body()
        } catch {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    /// Translates why nothing was installed.
    init(_ failure: StoreFailure) {
        let code: ExitCode =
            switch failure.kind {
            case .refused: .refused
            case .missing: .notFound
            case .denied: .denied
            case .conflict: .conflict
            case .system: .storeUnavailable
            }
        self.init(
            code, failure.message, fault: failure.fault,
            notes: [
                failure.isDone
                    ? "the plugin was changed, and a loss of power may undo that"
                    : "nothing was changed"
            ], help: failure.help)
    }
}

extension ExitMeaning {
    /// The statuses that commands which install have in common.
    static let installing = [
        ExitMeaning(.denied, "this user may not change the plugins, or another user may"),
        ExitMeaning(.storeUnavailable, "the disk is full, or the store is damaged"),
        ExitMeaning(.conflict, "something else is in the place of the plugin"),
    ]
}
