// SPDX-License-Identifier: Apache-2.0
import AppHost
import Dispatch
import Foundation

extension UIApplication {
    /// Curfew's own: runs the app with a delegate, from the main thread, and does not return. It tells
    /// the delegate that the app has launched, and turns the main thread's loop. SIGTERM ends it in
    /// order: the delegate is told, and the process exits with 0.
    @MainActor public static func run(_ delegate: any UIApplicationDelegate) -> Never {
        let application = shared
        application.delegate = delegate
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
        source.setEventHandler {
            MainActor.assumeIsolated { shared.terminate() }
            exit(0)
        }
        source.resume()
        AppHost.life.beginLaunching()
        application.launch()
        // Not dispatchMain: on Linux it gives the main queue to other threads.
        while true { RunLoop.main.run() }
    }
}
