// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// `CONTRIBUTING.md` names the two locks of the sources.
@Suite("The locks of the sources")
struct LockTests {
    /// The file of one of the two, which is made of a POSIX mutex; the other is made of atomics.
    private static let locked = "CurfewValues/Locked.swift"
    /// The names of other locks, or how they begin.
    private static let others = [
        "Mutex<", "Mutex(", "NSLock", "NSRecursiveLock", "NSCondition", "DispatchSemaphore",
        "pthread_mutex", "pthread_rwlock", "pthread_spin", "pthread_cond", "os_unfair_lock", "mtx_",
        "objc_sync_enter", "OSAllocatedUnfairLock",
    ]

    /// The code of each Swift file, without lines that are comments.
    private func sources() throws -> [(file: String, code: String)] {
        let folder = "\(BuiltProducts.packageRoot)/Sources"
        return try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".swift") }
            .map { file in
                let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
                let code = text.split(separator: "\n").filter {
                    !$0.drop(while: { $0 == " " }).hasPrefix("//")
                }
                return (file, code.joined(separator: "\n"))
            }
    }

    @Test("no file uses a lock of another kind than Locked and WordLock")
    func kinds() throws {
        for (file, code) in try sources() where file != Self.locked {
            let found = Self.others.filter { code.contains($0) }
            #expect(found.isEmpty, "Sources/\(file) uses \(found); use Locked")
        }
    }

    /// Each access would wrap the function once more.
    @Test("no lock holds a bare function: that is what Callback is for")
    func functions() throws {
        for (file, code) in try sources() {
            let found = code.matches(of: #/Locked<[(@][^\n\[]*->.*/#).map { String($0.output) }
            #expect(found.isEmpty, "Sources/\(file) has \(found)")
        }
    }

    @Test("only tasks, which are numerous, have a WordLock, and Scheduling has no lock")
    func uses() throws {
        let sources = try sources()
        func users(_ lock: String) -> [String] {
            sources.filter { $0.code.contains("\(lock)(") || $0.code.contains("\(lock)<") }
                .map(\.file).sorted()
        }
        #expect(users("WordLock") == ["Runner/Engine/TaskRecord.swift"])
        #expect(users("Locked").count > 20)
        #expect(users("Locked").allSatisfy { !$0.hasPrefix("Scheduling/") })
    }
}
