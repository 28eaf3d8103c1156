// SPDX-License-Identifier: Apache-2.0
package import PluginBridge
import Runner

/// The state of a plugin at the time of the query.
public struct PluginInfo: Sendable {
    /// The state of a plugin; the names are those of `curfew plugins`.
    public enum Status: Int32, Sendable {
        /// Its manifest is valid; it is not loaded.
        case validated = 1
        /// It is loaded, and its handlers are registered.
        case ready = 2
        /// It is no longer used.
        case retired = 3
        /// It was refused.
        case failed = 4
        /// Its manifest is valid, but another plugin with the same id was found before.
        case shadowed = 5
    }

    /// Its id; "" if the manifest could not be read.
    public let id: String
    /// The plugin's own version; "" if the manifest could not be read.
    public let version: String
    /// Its directory, as given by the caller.
    public let directory: String
    /// The state.
    public let status: Status
    /// The reason for a failure, the directory that shadows it, or "".
    public let reason: String
    /// The number of handlers that it declares.
    public let handlers: Int
    /// Where its code runs; nil until it has been loaded.
    public let isolation: Isolation?
    /// The id of the process in which its code runs now, if that is one of its own.
    public let process: Int32?
    /// How many processes have been started for it.
    public let starts: Int
    /// How the last one that has ended did so, as the rest of a sentence, `ended by SIGSEGV at 0x0 in the
    /// function of org.example.tidy`; "" if none has.
    public let lastEnd: String
    /// The parts of the sandbox that this machine cannot enforce for its process, each with the reason:
    /// `mount namespace: it is not permitted here`. Empty without a process.
    public let notInForce: [String]

    /// The last ends of its processes that nobody had asked for, the newest last.
    package let crashes: [PluginCrash]
    /// How many there were since the host was made, by the number of the signal; 0 for an exit.
    package let crashCounts: [Int32: UInt64]
    /// The SHA-256 of its manifest and library, by which it can be quarantined; nil if the host has not looked.
    package let content: String?
    /// The id of the trusted key that has signed it; nil if none has, or the host has not looked.
    package let signer: String?

    init(_ record: PluginRecord, _ runtime: HostRuntime) {
        id = record.id
        version = record.version
        directory = record.directory
        let (status, reason) = runtime.plugins.status(of: record)
        self.status = Status(rawValue: status.rawValue) ?? .failed
        self.reason = reason
        handlers = Int(record.handlers)
        let code = runtime.plugins.code(of: record)
        isolation = code.isolation
        process = code.process.flatMap { $0.id > 0 ? $0.id : nil }
        starts = Int(code.process?.starts ?? 0)
        lastEnd = code.process?.lastEnd ?? ""
        notInForce = code.process?.notInForce ?? []
        crashes = code.process?.crashes ?? []
        crashCounts = code.process?.crashCounts ?? [:]
        (content, signer) = runtime.plugins.origin(of: record)
    }
}
