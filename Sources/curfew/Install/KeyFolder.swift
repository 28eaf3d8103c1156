// SPDX-License-Identifier: Apache-2.0
import Glibc
import PluginBridge
import Scheduling

/// A directory of trusted keys, while one is added or removed.
struct KeyFolder {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Makes the directory and those above it where they are missing.
    func make() throws(CommandError) {
        var made = ""
        for part in path.parts(at: "/") {
            made += "/" + part
            guard mkdir(made, 0o755) != 0, errno != EEXIST else { continue }
            // A directory above may be unwritable and there.
            guard access(made, F_OK) != 0 else { continue }
            throw failure("make", made)
        }
        do throws(BridgeError) {
            _ = try PluginDirectory(path)
        } catch {
            throw CommandError(
                .denied, error.message, fault: error.rule.flatMap(Fault.named),
                notes: ["nothing was changed"])
        }
    }

    /// Writes a key with its prefixes, in one rename, and returns the path of the file.
    func write(
        _ key: MinisignKey, _ text: String, _ prefixes: [IdentifierPrefix]
    ) throws(CommandError) -> String {
        let words = prefixes.map { " \(TrustedKey.word)\($0)" }.joined()
        let line = "untrusted comment: minisign public key \(key.id)\(words)"
        // minisign reads 1,024 bytes of it.
        guard line.utf8.count < 1_000 else {
            throw CommandError(
                .usage, "the key \(key.id) has too many prefixes",
                notes: ["nothing was changed"],
                help: ["give the author one prefix for all plugins"])
        }
        let file = path.appending(component: "\(key.id)\(TrustedKeys.suffix)")
        let new = path.appending(component: ".\(key.id).new")
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure("create", new) }
        let output = Output(descriptor: descriptor)
        output.write("\(line)\n\(text)\n")
        let isWritten = output.failure == 0 && fsync(descriptor) == 0
        let code = output.failure == 0 ? errno : output.failure
        close(descriptor)
        guard isWritten else {
            unlink(new)
            errno = code
            throw failure("write", new)
        }
        guard rename(new, file) == 0 else { throw failure("replace", file) }
        try sync()
        return file
    }

    func remove(_ files: [String]) throws(CommandError) {
        for file in files where unlink(file) != 0 { throw failure("remove", file) }
        try sync()
    }

    private func sync() throws(CommandError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("write", path) }
    }

    private func failure(_ what: String, _ path: String) -> CommandError {
        let code = errno
        return CommandError(
            code == EACCES || code == EPERM ? .denied : .storeUnavailable,
            "cannot \(what) \(path): \(String(cString: strerror(code)))",
            notes: ["nothing was changed"])
    }
}
