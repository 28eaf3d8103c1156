// SPDX-License-Identifier: Apache-2.0
// Manner: a library's file that imports Foundation alone, and uses what Apple's has about the
// background: the compiler is told to import the module that has it.
// Flags: -Xfrontend -import-module -Xfrontend FoundationBackground
// Swift 6: yes
// Prints: before the work: expired false
// Prints: cleaned up
import Foundation

final class Synchronizer: Sendable {
    func synchronize(_ completion: @escaping @Sendable () -> Void) {
        ProcessInfo.processInfo.performExpiringActivity(withReason: "sync") { expired in
            print("before the work: expired \(expired)")
            completion()
        }
    }

    var isAllowed: Bool {
        !ProcessInfo.processInfo.isLowPowerModeEnabled
            && ProcessInfo.processInfo.thermalState.rawValue
                <= ProcessInfo.ThermalState.fair.rawValue
    }
}

let synced = DispatchSemaphore(value: 0)
Synchronizer().synchronize { synced.signal() }
synced.wait()

let cleaning = NSBackgroundActivityScheduler(identifier: "com.example.library.clean")
cleaning.interval = 1
cleaning.tolerance = 0
cleaning.schedule { completion in
    print("cleaned up")
    completion(.finished)
    exit(0)
}
RunLoop.main.run()
