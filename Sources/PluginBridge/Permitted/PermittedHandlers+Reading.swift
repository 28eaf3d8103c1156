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

    private static func fault(_ source: DiagnosticSource, _ message: String) -> PermittedFaults {
        PermittedFaults([
            source.diagnostic(
                rule: PropertyListRule.file.rawValue, message: message,
                help: "give the path of a readable property list, such as an app's Info.plist")
        ])
    }
}
