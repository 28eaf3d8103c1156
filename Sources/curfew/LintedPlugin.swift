// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Conformance
import Glibc
import PluginBridge
import Scheduling

/// The findings about a manifest and its library, without running any code.
struct LintedPlugin {
    /// The path on the command line.
    let path: String
    private let systemLibraries: [String]
    private(set) var manifest: Manifest?
    private(set) var faults: [Diagnostic] = []
    /// The ABI the library's note says; nil when it was not read.
    private(set) var abi: UInt32?
    /// Why the library was not looked at, or nil.
    private(set) var libraryRemark: String?
    /// What is no fault, and its author should know: lower case, no full stop.
    private(set) var warnings: [String] = []

    /// Reads a plugin's directory, or a manifest alone: that one may be checked before there is a
    /// library. `-` is a manifest on standard input.
    ///
    /// - Parameter systemLibraries: the sonames of the libraries whose functions it may call.
    init(path: String, systemLibraries: [String] = SystemLibrary.usual) {
        self.path = path
        self.systemLibraries = systemLibraries
        var status = stat()
        if path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            take(Manifest.read(directory: path))
            if let manifest { checkCalls(of: manifest) }
            if let library = manifest?.library { checkLibrary(library, in: path) }
            return
        }
        let file = path == "-" ? "<stdin>" : path
        do throws(InputFile.Fault) {
            // The reader refuses a larger file, and names the limit.
            let bytes = try InputFile.beginning(of: path, limit: JSONReader.sizeLimit)
            take(Manifest.parse(bytes: bytes, file: file))
        } catch {
            faults = [
                DiagnosticSource(file: file, bytes: []).diagnostic(
                    rule: ManifestRule.file.rawValue, message: "cannot read it: \(error.reason)",
                    help: "give a manifest, or the directory of a plugin")
            ]
            return
        }
        guard let manifest else { return }
        let folder = path.parts(at: "/", omittingEmpty: false).dropLast().joined(separator: "/")
        let directory = folder.isEmpty ? (path.begins(with: "/") ? "/" : ".") : folder
        checkCalls(of: manifest)
        guard let library = manifest.library else { return }
        if path == "-" {
            libraryRemark = "library not looked for"
        } else if access(directory + "/" + library, F_OK) != 0 {
            libraryRemark = "no library yet"
        } else {
            checkLibrary(library, in: directory)
        }
    }

    private mutating func take(_ result: Result<Manifest, ManifestFaults>) {
        switch result {
        case .success(let read): manifest = read
        case .failure(let found): faults = found.diagnostics
        }
    }

    /// Looks for the functions of the system's libraries that handlers call.
    private mutating func checkCalls(of manifest: Manifest) {
        if manifest.library == nil {
            libraryRemark =
                manifest.handlers.allSatisfy { $0.form == .command }
                ? "programs, without a library" : "functions of the system's libraries"
        }
        for call in manifest.handlers.compactMap(\.call) {
            guard let problem = call.systemProblem(allowed: systemLibraries) else { continue }
            var parts = problem.message.split(separator: "; ").map(String.init)
            let help = parts.count > 1 ? parts.removeLast() : "write another function"
            faults.append(
                manifest.source.diagnostic(
                    at: call.functionPosition, width: call.functionWidth,
                    rule: problem.rule ?? ManifestRule.function.rawValue,
                    message: parts.joined(separator: "; "), help: help))
        }
    }

    private mutating func checkLibrary(_ name: String, in directory: String) {
        guard let manifest else { return }
        let library = directory.appending(component: name)
        let hasEntry = manifest.handlers.contains { $0.form == .entry }
        switch ABINote.read(path: library) {
        case .success(let note):
            abi = note.abi
            if note.abi != UInt32(CURFEW_ABI_VERSION) {
                addFault(
                    "was built for ABI \(note.abi), this host speaks ABI \(CURFEW_ABI_VERSION)",
                    help: "build the plugin again with the headers of this Curfew")
            }
        // Without a note it still is a library to look at.
        case .failure(.noNote) where !hasEntry: libraryRemark = "library without a note"
        case .failure(let fault):
            addFault(fault.message, help: fault.help)
            guard fault == .noNote else { return }
        }
        if hasEntry { checkEntry(of: library) }
        if faults.isEmpty { checkLoading(of: manifest, in: directory) }
        if faults.isEmpty { checkSymbols(in: directory) }
    }

    private mutating func checkEntry(of library: String) {
        let entry = "curfew_plugin_entry"
        switch ELFExport.find(entry, in: library) {
        case .success(.function): break
        case .success(.missing):
            addFault(
                "exports no \(entry)",
                help: "define it with CURFEW_PLUGIN_EXPORT; no version script may hide it")
        case .success(.data):
            addFault(
                "exports \(entry), but not as a function",
                help: "define the function that curfew/plugin.h declares under this name")
        case .failure(let fault): addFault(fault.message, help: fault.help)
        }
    }

    /// Looks at everything else for which a host refuses a plugin before any code of it runs: who
    /// may change the files, what they are pinned to, what the library needs from beside it.
    private mutating func checkLoading(of manifest: Manifest, in directory: String) {
        // Copies that are to stay are for those that are loaded.
        let variable = "CURFEW_PLUGIN_COPIES"
        let copies = getenv(variable).map { String(cString: $0) }
        unsetenv(variable)
        defer { if let copies { setenv(variable, copies, 1) } }
        do throws(BridgeError) {
            let folder = try PluginDirectory(directory)
            // The one that a host would read, whose too it is.
            if folder.has(Manifest.fileName) { _ = try folder.manifest() }
            _ = try CheckedLibrary(manifest, in: folder, pins: nil)
        } catch {
            // Most messages end with the advice; messages about who may change a file have it in
            // the middle.
            let isTrust = [LoadRule.owner, .writable].map(\.rawValue).contains(error.rule)
            var parts = isTrust ? [] : error.message.split(separator: "; ").map(String.init)
            let help =
                isTrust
                ? "let only root and yourself change a plugin"
                : parts.count > 1 ? parts.removeLast() : "a host says the same when it loads it"
            let source = DiagnosticSource(file: directory, bytes: [])
            faults.append(
                source.diagnostic(
                    rule: error.rule ?? ManifestRule.library.rawValue,
                    message: isTrust ? error.message : parts.joined(separator: "; "), help: help))
        }
    }

    /// Looks at what the library lacks, so that no host loads it, and at what it offers to others, asks of
    /// the process and uses of it, which a host takes all the same.
    private mutating func checkSymbols(in directory: String) {
        let look = StaticLook(directory: directory)
        if let lack = look.lack {
            addFault(
                lack, help: "link it with the library that it means, or install that here",
                rule: LoadRule.link.rawValue)
        }
        warnings = look.findings.map {
            "\($0.verdict.text) (curfew explain \($0.tested.fault.code))"
        }
    }

    /// Adds a fault of the library, at the place where the manifest names it.
    private mutating func addFault(
        _ message: String, help: String, rule: String = ManifestRule.library.rawValue
    ) {
        guard let manifest, let library = manifest.library else { return }
        faults.append(
            manifest.source.diagnostic(
                at: manifest.libraryPosition, width: manifest.libraryWidth,
                rule: rule, message: "`\(library)` \(message)",
                help: help))
    }
}
