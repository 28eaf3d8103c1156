// SPDX-License-Identifier: Apache-2.0
import AppHost
import Dispatch
import Foundation

extension UIApplication {
    /// Runs the app with a delegate, on the main thread, and does not return; an addition of
    /// Curfew. Calls the delegate when the app has launched, and runs the main thread's loop. On
    /// SIGTERM it calls the delegate, and the process exits with 0.
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

extension UIApplicationDelegate {
    /// Runs the app with a delegate of this class, made by its `init()`. `@main` calls it; it does not
    /// return.
    public static func main() {
        guard let delegate = _RuntimeInstance.make(Self.self) as? any UIApplicationDelegate else {
            fatalError("\(Self.self) is a delegate, and an instance of it is not")
        }
        UIApplication.run(delegate)
    }
}
