// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

extension PermittedHandlers {
    /// Reads the list in a file, which may be a link to one.
    package static func read(file: String) -> Result<PermittedHandlers, PermittedFaults> {
        let source = DiagnosticSource(file: file, bytes: [])
        guard !file.isEmpty, !file.utf8.contains(0) else {
            return .failure(fault(source, "the path of the list is empty or has a zero byte in it"))
        }
        let descriptor = open(file, RegularFile.flags)
        guard descriptor >= 0 else {
            return .failure(fault(source, "cannot open it: \(RegularFile.reason(errno))"))
        }
        defer { close(descriptor) }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        if isFile, let distrust = distrust(of: file, opened: descriptor) {
            return .failure(
                fault(
                    source, "another user could change it: \(distrust)",
                    help: "correct its owner or mode"))
        }
        do throws(RegularFile.Problem) {
            let limit = PropertyListReader.sizeLimit
            return parse(bytes: try RegularFile.contents(of: descriptor, limit: limit), file: file)
        } catch {
            let text = error.isOfAnotherKind ? "the list \(error.text)" : error.text
            return .failure(fault(source, text))
        }
    }

    /// Reads a list; `file` is only shown.
    package static func parse(
        bytes: [UInt8], file: String
    ) -> Result<PermittedHandlers, PermittedFaults> {
        let source = DiagnosticSource(file: file, bytes: bytes)
        let (value, faults) = PropertyListReader.read(source)
        var checker = PermittedChecker(source: source, faults: faults)
        let permitted = value.flatMap { checker.list($0) }
        if checker.faults.isEmpty, let permitted { return .success(permitted) }
        return .failure(PermittedFaults(checker.sortedFaults))
    }

    /// Returns why the list cannot be trusted, or nil: a user who can change it can permit a
    /// handler.
    ///
    /// The parent directories, of the given path and of the path without links, are checked like
    /// those of a plugin; the opened file is the one at the end.
    private static func distrust(of file: String, opened descriptor: Int32) -> String? {
        guard let real = realpath(file, nil) else { return RegularFile.reason(errno) }
        defer { free(real) }
        guard let path = String(validatingCString: real) else { return "its path is not UTF-8" }
        var (opened, found) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0, lstat(path, &found) == 0,
            opened.st_ino == found.st_ino, opened.st_dev == found.st_dev
        else { return "it was replaced meanwhile" }
        return distrust(of: path) ?? distrust(of: file)
    }

    private static func distrust(of path: String) -> String? {
        let slash = UInt8(ascii: "/")
        let top = path.utf8.first == slash ? "/" : "."
        var rest = path[...]
        var isEnd = true
        while true {
            while rest.utf8.last == slash { rest = Substring(rest.utf8.dropLast()) }
            let place = rest.isEmpty ? top : String(rest)
            guard let file = OwnedDescriptor(csys_open_component(AT_FDCWD, place)),
                let status = file.status
            else { return "\(place): \(RegularFile.reason(errno))" }
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            let facts = FileFacts(
                path: place, owner: status.st_uid, group: status.st_gid,
                mode: status.st_mode & 0o7777,
                hasAccessList: status.st_mode & 0o020 != 0 && csys_has_access_list(file.number))
            let role: FileFacts.Role = isLink ? .link : isEnd ? .file : .passage
            if let fault = FileTrust.ofThisProcess.fault(of: facts, as: role) { return fault.text }
            if rest.isEmpty { return nil }
            isEnd = false
            rest = rest[..<(rest.utf8.lastIndex(of: slash) ?? rest.startIndex)]
        }
    }

    private static func fault(
        _ source: DiagnosticSource, _ message: String,
        help: String = "give the path of a readable property list, such as an app's Info.plist"
    ) -> PermittedFaults {
        PermittedFaults([
            source.diagnostic(
                rule: PropertyListRule.file.rawValue, message: message, help: help)
        ])
    }
}
