// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import Scheduling

/// ThreadSanitizer (-fsanitize=thread), which a library can be compiled for: its runtime in the process of
/// a case. The host is not compiled for it, and tells it what comes before what.
enum RaceDetector {
    private typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// The functions of its interface, <sanitizer/tsan_interface.h>; nil where it is not loaded.
    private static let acquireFunction = function("__tsan_acquire")
    private static let releaseFunction = function("__tsan_release")
    private static let place = Place(
        address: UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8))

    private struct Place: @unchecked Sendable { let address: UnsafeMutableRawPointer }

    private static func function(_ name: String) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }

    static var isLoaded: Bool { acquireFunction != nil }

    /// The calling thread begins with something of the plugin's: all that a host had it do before, and
    /// that has ended, has happened before.
    static func begin() { acquireFunction?(place.address) }

    /// The calling thread has ended something of the plugin's.
    static func end() { releaseFunction?(place.address) }

    /// Returns the name of its runtime where a library is linked with it.
    ///
    /// Only a plain `libtsan.so.NUMBER` counts. The runtime is loaded before the kit's own code in the process of a
    /// case: with a path in its name, a plugin could have any code run there, and report what it likes. A host that
    /// does not load the runtime first cannot load such a plugin, so nobody gains by being linked with it.
    static func runtime(of facts: ELFFacts) -> String? {
        let prefix = "libtsan.so."
        return facts.needed.first { name in
            name.begins(with: prefix) && name.utf8.count > prefix.utf8.count
                && name.utf8.dropFirst(prefix.utf8.count).allSatisfy { (0x30...0x39).contains($0) }
        }
    }

    /// The variables of the environment of a process in which a case looks at a library.
    ///
    /// - Parameters:
    ///   - runtime: is loaded before all others, as it has to be.
    ///   - reports: whether it tells what it finds.
    ///   - directory: for its reports.
    static func variables(
        _ runtime: String, reports isTelling: Bool, in directory: String
    ) -> [String: String] {
        let options = [
            // Code that is not compiled for it would be taken for one that does not synchronize.
            "ignore_noninstrumented_modules=1", "exitcode=0", "report_thread_leaks=0",
            "report_bugs=\(isTelling ? 1 : 0)",
            "log_path='\(reports(in: directory))'",
        ]
        return ["LD_PRELOAD": runtime, "TSAN_OPTIONS": options.joined(separator: " ")]
    }

    /// It adds a dot and the number of the process.
    private static func reports(in directory: String) -> String {
        directory.appending(component: "races")
    }

    /// The lines of what it has reported in this process.
    static func report(in directory: String) -> [Substring] {
        let path = "\(reports(in: directory)).\(getpid())"
        return String(decoding: ProcessFacts.contents(of: path), as: UTF8.self).split(
            separator: "\n")
    }
}
