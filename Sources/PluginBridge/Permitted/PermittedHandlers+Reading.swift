// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension PermittedHandlers {
    /// Reads the list in a file, which may be a link to one.
    public static func read(file: String) -> Result<PermittedHandlers, PermittedFaults> {
        let source = DiagnosticSource(file: file, bytes: [])
        guard !file.isEmpty, !file.utf8.contains(0) else {
            return .failure(fault(source, "the path of the list is empty or has a zero byte in it"))
        }
        let descriptor = open(file, RegularFile.flags)
        guard descriptor >= 0 else {
            return .failure(fault(source, "cannot open it: \(RegularFile.reason(errno))"))
        }
        defer { close(descriptor) }
        if let distrust = distrust(of: file, opened: descriptor) {
            return .failure(
                fault(
                    source, "somebody else could change it: \(distrust)", help: "see to its rights")
            )
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
    public static func parse(
        bytes: [UInt8], file: String
    ) -> Result<PermittedHandlers, PermittedFaults> {
        let source = DiagnosticSource(file: file, bytes: bytes)
        let (value, faults) = PropertyListReader.read(source)
        var checker = PermittedChecker(source: source, faults: faults)
        let permitted = value.flatMap { checker.list($0) }
        if checker.faults.isEmpty, let permitted { return .success(permitted) }
        return .failure(PermittedFaults(checker.sortedFaults))
    }

    /// Why the list is not beyond doubt, by the rules for what is loaded: whoever can change it can
    /// permit a handler. Nil: it is.
    private static func distrust(of file: String, opened descriptor: Int32) -> String? {
        guard let real = realpath(file, nil) else { return RegularFile.reason(errno) }
        defer { free(real) }
        guard let path = String(validatingCString: real),
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        else { return "its path is not UTF-8" }
        let above = slash == path.startIndex ? "/" : String(path[..<slash])
        do throws(BridgeError) {
            let folder = try PluginDirectory(above)
            let found = try folder.file(String(path[path.utf8.index(after: slash)...]))
            var opened = stat()
            guard fstat(descriptor, &opened) == 0, opened.st_ino == found.status.st_ino,
                opened.st_dev == found.status.st_dev
            else { return "it was replaced meanwhile" }
            return nil
        } catch {
            let isTrust = [LoadRule.owner, .writable].map(\.rawValue).contains(error.rule)
            // What is no file, or cannot be opened, is told by who reads it.
            return isTrust
                ? error.message.replacing("\(above) is not loaded: ", with: "") : nil
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
