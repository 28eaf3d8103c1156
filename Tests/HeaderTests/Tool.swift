// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// A program from outside that reads the headers. A missing one fails the test that needs it.
struct Tool: CustomTestStringConvertible {
    static let gcc = Tool("gcc", package: "gcc")
    static let gxx = Tool("g++", package: "g++")
    static let readelf = Tool("readelf", package: "binutils")
    static let luajit = Tool("luajit", package: "luajit")
    static let bindgen = Tool("bindgen", package: "bindgen libclang-dev")
    static let swiftc = Tool("swiftc", package: nil)

    /// The clang of the Swift toolchain, where it has one.
    static let clang: Tool? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/swiftc" }
            .filter(FileManager.default.isExecutableFile(atPath:))
            .map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() }
            .map { $0.deletingLastPathComponent().appendingPathComponent("clang").path }
            .first(where: FileManager.default.isExecutableFile(atPath:))
            .map { Tool($0, package: nil) }
    }()

    static let cffi = Result { try python(with: "cffi") }
    /// What reads C by clang's library.
    static let clangPython = Result { try python(with: "clang.cindex") }

    /// A Python that has a module: Debian's, or the first one in PATH.
    private static func python(with module: String) throws -> Tool {
        for name in ["/usr/bin/python3", "python3"] {
            let found = try? ChildProcess.run(name, ["-c", "import \(module)"])
            if found?.succeeded == true { return Tool(name, package: "python3") }
        }
        throw Missing(name: "Python's module \(module)", package: "python3-cffi python3-clang")
    }

    let name: String
    private let package: String?

    private init(_ name: String, package: String?) {
        self.name = name
        self.package = package
    }

    var testDescription: String { name }

    /// Runs it; that it fails is no error.
    func run(_ arguments: [String], input: String = "") throws -> ChildProcess {
        do {
            return try ChildProcess.run(name, arguments, input: input)
        } catch let error as ChildProcessError where error.code == ENOENT {
            throw Missing(name: name, package: package)
        }
    }

    /// Runs it, and throws what it said unless it succeeded.
    @discardableResult
    func check(_ arguments: [String], input: String = "") throws -> ChildProcess {
        let process = try run(arguments, input: input)
        guard process.succeeded else { throw Failure(name: name, process: process) }
        return process
    }

    private struct Missing: Error, CustomStringConvertible {
        let name: String
        let package: String?
        var description: String {
            let way = package.map { "apt-get install \($0)" } ?? "it is part of the Swift toolchain"
            return "\(name) is missing; to install it: \(way)"
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let name: String
        let process: ChildProcess
        var description: String { "\(name) failed: \(process)" }
    }
}
