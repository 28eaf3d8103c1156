// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// The content of a plugin's `manifest.json`; every value is checked and every default filled in.
///
/// The manifest is the authority over the library: the library must register exactly the declared
/// handlers. Reading one never loads code.
package struct Manifest: Hashable, Sendable {
    /// The reverse-DNS name of the plugin, `org.example.mirror`.
    package let id: String
    /// The plugin's own version, `1.2.0`.
    package let version: String
    /// The number of the plugin ABI; always the one of this host.
    package let abi: UInt32
    /// The plain name of the shared object beside the manifest; nil where all handlers run
    /// programs or call functions of the system's libraries.
    package let library: String?
    /// The position of the value of `library`, for faults that only the file shows; the beginning
    /// of the manifest if it has none.
    package let libraryPosition: JSONPosition
    /// The number of columns of that value.
    package let libraryWidth: Int
    /// The SHA-256 of the library, 64 lower-case hexadecimal digits; nil permits any content.
    package let sha256: String?
    /// The position of the value of `sha256`; its width is 66 columns.
    package let sha256Position: JSONPosition?
    /// The files, network and limits that its process gets; without them (nil) files and network are not
    /// confined.
    package let needs: ManifestNeeds?
    /// In the order of the manifest; at least one.
    package let handlers: [ManifestHandler]
    /// The text it was read from, for faults found later: `source.diagnostic(at:…)`.
    package let source: DiagnosticSource

    /// Where its code runs unless somebody decides otherwise: a library is loaded once, so all
    /// handlers get the most that one of them needs.
    package var isolation: Isolation {
        handlers.reduce(.thread) {
            .more($0, $1.form == .call ? .process : $1.isolation)
        }
    }

    /// Whether the host calls functions for it; otherwise all its handlers run programs.
    package var hasCode: Bool { library != nil || handlers.contains { $0.form != .command } }

    package var hasPrograms: Bool { handlers.contains { $0.command != nil } }

    /// The name of the file in a plugin's directory.
    package static var fileName: String { "manifest.json" }

    // The limits. Lengths are bytes of UTF-8, times nanoseconds.
    package static var identifierLimit: Int { 128 }
    package static var versionLimit: Int { 64 }
    package static var libraryLimit: Int { 255 }
    package static var handlerLimit: Int { 64 }
    package static var budgetRange: ClosedRange<UInt64> { 1_000_000...86_400_000_000_000 }
    package static var graceRange: ClosedRange<UInt64> { 0...600_000_000_000 }
    package static var concurrencyRange: ClosedRange<Int64> { 1...64 }
    package static var storeRange: ClosedRange<Int64> { 1...10_000 }
    /// Leaves room for what is put around the name: `registering…_done`, `…_progress`.
    package static var eventLimit: Int { 100 }
    package static var eventsLimit: Int { 64 }
    package static var exampleLimit: Int { 64 }
    package static var exampleNameLimit: Int { 128 }
    /// Files that one example may have.
    package static var exampleFileLimit: Int { 64 }
    package static var exampleFilePathLimit: Int { 255 }
    package static var exampleFileTextLimit: Int { 65_536 }
    /// The limit for a sparse file of zeros.
    package static var exampleFileBytesLimit: UInt64 { 1 << 40 }
    package static var functionLimit: Int { 255 }
    package static var signatureLimit: Int { 512 }
    /// Bytes that one argument of a call may have written to it.
    package static var bufferLimit: Int64 { 1 << 20 }
    /// Words of a command line.
    package static var wordLimit: Int { 256 }
    /// The maximum number of listed faults; one more fault then says how many are not listed.
    package static var faultLimit: Int { 100 }

    /// Checks the text of a manifest without looking at any other file.
    ///
    /// All its faults are returned in the order of the text, those of the syntax among them. Only
    /// where a fault leaves open how the text goes on is it the last one.
    package static func parse(bytes: [UInt8], file: String) -> Result<Manifest, ManifestFaults> {
        parse(DiagnosticSource(file: file, bytes: bytes)) { _ in nil }
    }

    static func parse(
        _ source: DiagnosticSource, libraryProblem: @escaping ManifestChecker.LibraryProblem
    ) -> Result<Manifest, ManifestFaults> {
        let (document, faults) = JSONReader.readAll(source)
        return ManifestChecker.check(
            document, faults: faults, source: source, libraryProblem: libraryProblem)
    }
}
