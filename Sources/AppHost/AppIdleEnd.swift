// SPDX-License-Identifier: Apache-2.0
import CAppHost
import CCurfew
import CurfewValues
import Dispatch
import Foundation

/// Ends a process that was started for a task, once no task runs in it any more.
///
/// iOS suspends such an app. On Linux nothing resumes a process, so it ends by `exit`, and `curfew serve`
/// starts it again when the next task is due. A process that has come to the foreground goes on.
enum AppIdleEnd {
    /// What the process was started for: the identifier of a request; nil if a person has started it.
    static let launchedFor: String? = getenv("CURFEW_LAUNCHED_FOR").flatMap {
        String(validatingCString: $0)
    }

    /// The seconds without a task after which the process ends.
    private static let patience = 5
    private static let timer = Locked<(any DispatchSourceTimer)?>(nil)
    private static let quiet = Locked(0)

    static func arrange(_ registry: HostRegistry) {
        guard launchedFor != nil else { return }
        let source = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        source.schedule(deadline: .now() + 1, repeating: 1)
        source.setEventHandler { look(registry) }
        timer.withLock { $0 = source }
        source.resume()
    }

    private static func look(_ registry: HostRegistry) {
        if AppHost.life.stage == .foreground {
            timer.withLock { $0?.cancel() }
            return
        }
        let isBusy = (try? registry.isRunning()) ?? false
        let seconds = quiet.withLock { quiet in
            quiet = isBusy ? 0 : quiet + 1
            return quiet
        }
        if seconds >= patience { exit(0) }
    }
}
