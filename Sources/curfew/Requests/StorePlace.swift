// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge
import Runner
import Scheduling
import Service

/// Which store a command works on, and how it is opened.
struct StorePlace {
    /// What it is opened by: a directory, or the URL of a store on a server, which may have a password.
    let name: String
    /// For people: the directory, or the URL without a password.
    let directory: String
    /// The option by which another command works on the same one, after a blank; "" where it is the
    /// usual one.
    private(set) var option: String
    private let isNamed: Bool

    /// Whether it is on a server, where other machines may use it.
    var isOnServer: Bool { StoreClient.isAddress(name) }

    /// - Parameter option: how a command says where it is, after a blank.
    init(_ directory: String, option: String) {
        (name, self.directory, self.option, isNamed) = (directory, directory, option, true)
    }

    /// Uses the store of `--store`, of CURFEW_STORE, or of the user's configuration, as a host does; or the usual one.
    init(_ arguments: Arguments) throws(CommandError) {
        let isElsewhere = arguments.has(.store) || Self.isInEnvironment
        let configured =
            isElsewhere ? nil : ConfigurationFiles.usual(environment: Environment.value)?.store()
        try self.init(arguments, configured: configured)
        // Another command finds it there, too.
        if configured != nil { option = "" }
    }

    private static var isInEnvironment: Bool {
        csys_has_more_rights() || Environment.value("CURFEW_STORE").map { !$0.isEmpty } == true
    }

    /// Uses the store of `--store`, or the usual one.
    ///
    /// - Parameter configured: the store of a configuration, in place of the usual one.
    init(_ arguments: Arguments, configured: String?) throws(CommandError) {
        if let named = arguments.value(.store) ?? configured {
            name = named
            directory = try Self.shown(named)
            option = " --store " + ShellWord.path(directory)
            isNamed = true
            return
        }
        option = ""
        isNamed = false
        guard let usual = Self.usual else {
            throw CommandError(
                .usage, "there is no usual place for a store: HOME is not set",
                help: ["say where it is: --store DIR"])
        }
        name = usual
        directory = try Self.shown(usual)
    }

    private static func shown(_ name: String) throws(CommandError) -> String {
        try translated { () throws(StoreFault) in try StoreClient.shown(name) }
    }

    /// The default directory of stores.
    static var usual: String? {
        // A program with more rights than its user ignores the user's environment.
        if csys_has_more_rights() { return nil }
        if let named = Environment.value("CURFEW_STORE"), !named.isEmpty { return named }
        if let state = Environment.value("XDG_STATE_HOME"), state.begins(with: "/") {
            return state + "/curfew/store"
        }
        if let home = Environment.value("HOME"), home.begins(with: "/") {
            return home + "/.local/state/curfew/store"
        }
        return nil
    }

    /// Opens a store that is there.
    func open() throws(CommandError) -> StoreClient {
        try checkIsThere()
        return try Self.translated { () throws(StoreFault) in
            try StoreClient(directory: name)
        }
    }

    /// Opens it, and makes it where there is none.
    func make() throws(CommandError) -> StoreClient {
        if !isNamed, !isOnServer { try makeParents() }
        return try Self.translated { () throws(StoreFault) in
            try StoreClient(directory: name, creates: true)
        }
    }

    /// A missing store is reported differently from one that cannot be used or has lost its file.
    func checkIsThere() throws(CommandError) {
        // Whether a server has it is known once it is asked.
        guard !isOnServer,
            access(directory + "/requests.db", F_OK) != 0, errno == ENOENT || errno == ENOTDIR,
            !StoreClient.wasUsed(directory: directory)
        else { return }
        throw CommandError(
            .missing, "there is no store at \(directory)",
            notes: ["the first `curfew submit`, or a host, creates a store"],
            help: isNamed ? ["name its directory: --store DIR"] : ["--store DIR names another"])
    }

    /// Makes the user's own directories.
    private func makeParents() throws(CommandError) {
        var path = directory.begins(with: "/") ? "/" : ""
        for part in directory.parts(at: "/").dropLast() {
            path += part
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                let reason = errno
                throw CommandError(
                    reason == EACCES || reason == EPERM ? .denied : .storeUnavailable,
                    "the directory \(path) for the store cannot be made: \(String(cString: strerror(reason)))",
                    notes: ["nothing was stored"], help: ["name another place: --store DIR"])
            }
            path += "/"
        }
    }

    /// Does something with a store, and tells why it could not be done.
    static func translated<Result>(
        _ body: () throws(StoreFault) -> Result
    ) throws(CommandError) -> Result {
        do throws(StoreFault) {
            return try body()
        } catch {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    /// Translates an error of a store.
    init(_ fault: StoreFault) {
        let code: ExitCode =
            switch fault.kind {
            case .denied: .denied
            case .absent: .missing
            default: .storeUnavailable
            }
        self.init(code, fault.message, fault: Fault.of(fault.status))
    }
}
