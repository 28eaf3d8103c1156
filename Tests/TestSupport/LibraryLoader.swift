// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Loads libraries with the system's loader, each in a process of its own and without running any of
/// their code.
package final class LibraryLoader: Sendable {
    /// How the loading of one ended.
    package enum Ending: Hashable, Sendable {
        case loaded
        /// The loader said no, as dlopen(3) does.
        case refused
        /// The process ended, and no code of the library had run.
        case ended(signal: Int32)
        /// The process ended, as it does where the loader finds itself to be inconsistent.
        case exited(Int32)
        /// The loader would have called what is no code of the library.
        case wouldCallData
    }

    private static var hidden: UInt64 { 0x6100_0000 }

    private let files: TemporaryDirectory

    package init() throws {
        files = try TemporaryDirectory()
        let source = "\(BuiltProducts.packageRoot)/Tests/TestSupport/library-loader.c"
        let gcc = try ChildProcess.run(
            "gcc", ["-std=gnu11", "-O1", "-o", files.path("loader"), source])
        guard gcc.succeeded else { throw CocoaError(.executableLoad) }
    }

    /// Loads sound ones, by the rules of the host: the lists of their constructors can be found.
    package func load(_ libraries: [[UInt8]]) throws -> [Ending] {
        var input: [UInt8] = []
        for library in libraries {
            withUnsafeBytes(of: UInt64(library.count).littleEndian) { input += $0 }
            input += Self.withoutConstructors(library)
        }
        let run = try ChildProcess.run(files.path("loader"), input: input, limit: .seconds(600))
        let statuses = run.output.split(separator: "\n").compactMap { Int32($0) }
        guard run.succeeded, statuses.count == libraries.count else {
            throw CocoaError(.executableRuntimeMismatch)
        }
        return statuses.map { status in
            if status & 0x7F != 0 { return .ended(signal: status & 0x7F) }
            switch status >> 8 {
            case 0: return .loaded
            case 1: return .refused
            case 77: return .wouldCallData
            case let code: return .exited(code)
            }
        }
    }

    /// The tags of the lists become such as the loader passes over.
    private static func withoutConstructors(_ library: [UInt8]) -> [UInt8] {
        var library = LibraryBytes(library)
        // DT_INIT, DT_FINI, and the three arrays with their sizes.
        let tags: Set<UInt64> = [12, 13, 25, 26, 27, 28, 32, 33]
        for place in library.dynamicEntries where tags.contains(library.long(at: place)) {
            library.setLong(library.long(at: place) + hidden, at: place)
        }
        return library.bytes
    }
}
