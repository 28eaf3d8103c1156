// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc

/// A template of `curfew new`: a plugin called `sample` that `make install` has copied. It can be
/// built unchanged; its names are replaced by those of the new plugin.
struct ProjectTemplate {
    /// More than any file of a template has; what is larger is none.
    private static var fileLimit: Int { 1 << 20 }
    private static var depthLimit: Int { 8 }

    private let prefix: String
    private let files: [ProjectFile]

    /// Reads the template of this very installation.
    init(_ language: PluginLanguage) throws(CommandError) {
        guard let prefix = Installation.prefix, let templates = Installation.templates else {
            throw CommandError(
                .faults, "the template for \(language.title) cannot be looked for",
                notes: ["/proc does not have the path of this program"], help: ["mount /proc"])
        }
        self.prefix = prefix
        let directory = templates + "/" + language.rawValue
        var needed = [directory + "/Makefile"]
        if language == .swift { needed.append(prefix + "/share/curfew/CurfewPlugin/Package.swift") }
        for file in needed where access(file, R_OK) != 0 {
            throw CommandError(
                .faults, "the template for \(language.title) is not installed",
                notes: ["`\(file)`: \(String(cString: strerror(errno)))"],
                help: [
                    "use the curfew that `make install` has put in place", "curfew paths",
                ])
        }
        var files: [ProjectFile] = []
        try ProjectTemplate.read(directory, "", &files, depth: 0)
        self.files = files
    }

    private static func read(
        _ directory: String, _ below: String, _ files: inout [ProjectFile], depth: Int
    ) throws(CommandError) {
        for name in try DirectoryNames.all(in: directory) {
            let path = directory + "/" + name
            var facts = stat()
            guard stat(path, &facts) == 0 else {
                throw unreadable(path, String(cString: strerror(errno)))
            }
            switch facts.st_mode & S_IFMT {
            case S_IFDIR where depth < depthLimit:
                try read(path, below + name + "/", &files, depth: depth + 1)
            case S_IFREG:
                do throws(InputFile.Fault) {
                    let bytes = try InputFile.read(path, limit: fileLimit)
                    files.append(ProjectFile(path: below + name, bytes: bytes))
                } catch {
                    throw unreadable(path, error.reason)
                }
            default:
                throw unreadable(path, "it is neither a file nor a directory")
            }
        }
    }

    private static func unreadable(_ path: String, _ reason: String) -> CommandError {
        CommandError(
            .faults, "`\(path)` of the template cannot be read: \(reason)",
            help: ["reinstall Curfew: make install"])
    }

    /// The files of a plugin of that name, in the order of their paths.
    func filled(_ name: ProjectName) -> [ProjectFile] {
        files.map { file in
            // A word that begins with another one comes before it.
            let words = [
                ("@PREFIX@", quotedPrefix(in: file.path)), ("@VERSION@", CURFEW_VERSION_STRING),
                ("org.example.sample", name.identifier), ("sample_", name.symbol + "_"),
                ("sample", name.text), ("Sample", name.type),
            ]
            return ProjectFile(
                path: String(
                    decoding: Self.replacing(words, in: Array(file.path.utf8)), as: UTF8.self),
                bytes: Self.replacing(words, in: file.bytes))
        }.sorted { $0.path < $1.path }
    }

    /// The installation's directory as a Makefile or a text in Swift writes it.
    private func quotedPrefix(in path: String) -> String {
        if path.hasSuffix(".swift") {
            return prefix.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        }
        return prefix.replacing("$", with: "$$").replacing("#", with: "\\#")
    }

    /// Goes over the text once: what has been put in is not looked at again.
    private static func replacing(_ words: [(String, String)], in bytes: [UInt8]) -> [UInt8] {
        let words = words.map { (Array($0.0.utf8), Array($0.1.utf8)) }
        var result: [UInt8] = []
        var place = 0
        while place < bytes.count {
            if let (word, replacement) = words.first(where: { bytes[place...].starts(with: $0.0) })
            {
                result += replacement
                place += word.count
            } else {
                result.append(bytes[place])
                place += 1
            }
        }
        return result
    }
}

/// A file of a template, or of a plugin that is made of one.
struct ProjectFile {
    /// Below the template's or the plugin's directory, without dots.
    let path: String
    let bytes: [UInt8]
}

/// The languages of `curfew new`.
enum PluginLanguage: String, CaseIterable {
    case c
    case cpp = "c++"
    case swift
    case rust
    /// A function of a library that exists.
    case call

    /// The name of the language for people.
    var title: String {
        switch self {
        case .c: "C"
        case .cpp: "C++"
        case .swift: "Swift"
        case .rust: "Rust"
        case .call: "JSON"
        }
    }
}
