// SPDX-License-Identifier: Apache-2.0
import Glibc
import Scheduling

/// A directory with files in it that comes into being at once, or not at all.
struct NewDirectory {
    private let parent: String
    private let name: String
    /// The files and directories made so far, in order, until the directory gets its name.
    private var made: [String] = []

    /// The path for messages.
    var path: String { parent == "." ? name : NewDirectory.joined(parent, name) }

    /// - Parameter parent: a directory that is there.
    init(_ name: String, in parent: String) {
        self.name = name
        self.parent = parent
    }

    /// Fails where there is something of that name already, unless it is an empty directory.
    func checkAbsence() throws(CommandError) {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return }
        guard facts.st_mode & S_IFMT == S_IFDIR else { throw exists("it is no directory") }
        guard try DirectoryNames.all(in: path).isEmpty else {
            throw exists("it is a directory that is not empty")
        }
    }

    /// Makes it with these files. Nothing of it stays when that fails.
    mutating func make(_ files: [ProjectFile]) throws(CommandError) {
        // An interruption leaves either the whole directory or nothing.
        var signals = sigset_t()
        var before = sigset_t()
        sigemptyset(&signals)
        for number in [SIGHUP, SIGINT, SIGTERM] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        defer { for path in made.reversed() { remove(path) } }

        var template = Array(NewDirectory.joined(parent, ".\(name)-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw unmade(errno) }
        let holder = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        made.append(holder)
        // Create it one level deeper, so that it gets the permissions of any new directory.
        let root = holder + "/" + name
        try makeDirectory(root)
        for file in files {
            var directory = root
            for part in file.path.parts(at: "/").dropLast() {
                directory += "/" + part
                if !made.contains(directory) { try makeDirectory(directory) }
            }
            try write(file, to: root + "/" + file.path)
        }
        // Takes the place of an empty directory, and of nothing else.
        guard rename(root, path) == 0 else {
            switch errno {
            case EEXIST, ENOTEMPTY: throw exists("it is a directory that is not empty")
            case ENOTDIR: throw exists("it is no directory")
            default: throw unmade(errno)
            }
        }
        made = [holder]
    }

    private mutating func makeDirectory(_ path: String) throws(CommandError) {
        guard mkdir(path, 0o777) == 0 else { throw unmade(errno) }
        made.append(path)
    }

    private mutating func write(_ file: ProjectFile, to path: String) throws(CommandError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw unmade(errno) }
        made.append(path)
        let output = Output(descriptor: descriptor)
        output.write(String(decoding: file.bytes, as: UTF8.self))
        let closed = close(descriptor) == 0 ? 0 : errno
        guard output.failure == 0, closed == 0 else {
            throw unmade(output.failure == 0 ? closed : output.failure)
        }
    }

    private func exists(_ note: String) -> CommandError {
        CommandError(
            .faults, "`\(path)` exists already", notes: [note],
            help: ["choose another name, or another directory to put it into: --into DIR"])
    }

    private func unmade(_ code: Int32) -> CommandError {
        CommandError(
            .faults, "`\(path)` cannot be made: \(String(cString: strerror(code)))",
            notes: ["nothing was created"],
            help: ["name an existing directory that you may write to: --into DIR"])
    }

    private static func joined(_ directory: String, _ name: String) -> String {
        directory.appending(component: name)
    }
}
