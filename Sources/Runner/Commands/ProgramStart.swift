// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge

/// A program to start: its file, words, variables and directory.
struct ProgramStart {
    var path = ""
    var words: [String]
    var environment: [String: String]
    var directory: String
    var output = ProgramOutput.log

    /// Variables of the host that every program gets, besides those that begin with LC_ and XDG_.
    private static let inherited: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
    ]
    /// That of a shell without one.
    private static let defaultPath = "/usr/local/bin:/usr/bin:/bin"

    static func inheritedEnvironment() -> [String: String] {
        let own = hostEnvironment().filter {
            inherited.contains($0.key) || $0.key.hasPrefix("LC_") || $0.key.hasPrefix("XDG_")
        }
        return ["PATH": defaultPath].merging(own) { $1 }
    }

    /// Returns all variables of this process.
    static func hostEnvironment() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            next = next.successor()
            let text = String(cString: entry)
            guard let split = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
            variables[String(text[..<split])] = String(text[text.utf8.index(after: split)...])
        }
        return variables
    }

    /// Finds the file of the first word: below `base` if it has a slash, else in PATH.
    /// Returns why there is none.
    mutating func resolve(from base: String) -> String? {
        let program = words[0]
        if program.utf8.contains(UInt8(ascii: "/")) {
            path = program.utf8.first == UInt8(ascii: "/") ? program : base + "/" + program
            return nil
        }
        for folder in (environment["PATH"] ?? Self.defaultPath).split(separator: ":") {
            let candidate = folder + "/" + program
            var status = stat()
            if stat(candidate, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                access(candidate, X_OK) == 0
            {
                path = String(candidate)
                return nil
            }
        }
        return "the program \(program) is not found in PATH"
    }

    /// Asks a spawner to start it. Returns 0 or an errno.
    func start(
        _ spawner: inout csys_spawner, _ confinement: Confinement?, _ group: ControlGroup?,
        input: Int32, payload: Int32,
        output: Int32, errors: Int32,
        _ control: inout Int32
    ) -> Int32 {
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] =
            environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        return path.withCString { path in
            directory.withCString { directory in
                arguments.withUnsafeBufferPointer { arguments in
                    variables.withUnsafeBufferPointer { variables in
                        var command = csys_command()
                        command.path = path
                        command.directory = directory
                        command.arguments = arguments.baseAddress
                        command.environment = variables.baseAddress
                        command.input = input
                        command.payload = payload
                        command.output = output
                        command.errors = errors
                        command.cgroup = group?.directory.descriptor ?? -1
                        guard let confinement else {
                            return csys_command_start(&spawner, &command, &control)
                        }
                        command.limits = confinement.limits
                        return confinement.withConfinement {
                            command.confinement = $0
                            return csys_command_start(&spawner, &command, &control)
                        }
                    }
                }
            }
        }
    }
}
