// SPDX-License-Identifier: Apache-2.0
import AppHost
import CurfewValues
import Dispatch
public import Foundation

/// A task that its user has begun and waits for. It reports its progress: one that does not come any
/// further for a minute expires before its time.
open class BGContinuedProcessingTask: BGTask, ProgressReporting, @unchecked Sendable {
    private let texts: Locked<(title: String, subtitle: String)>
    private let stall: Locked<StallStateMachine>
    private let timer = Locked<(any DispatchSourceTimer)?>(nil)
    private let counted = TaskProgress()

    /// A task that has not come any further for so long, is expired.
    private static let stallLimit: UInt64 = 60_000_000_000

    override init(_ launch: TaskLaunch) {
        let details = ContinuedDetails(launch.payload)
        texts = Locked((details.title, details.subtitle))
        stall = Locked(StallStateMachine(limit: Self.stallLimit, remaining: launch.remaining))
        super.init(launch)
        counted.whenChanged { [weak self] in self?.look() }
        let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        timer.setEventHandler { [weak self] in self?.look() }
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.resume()
        self.timer.exchange(timer)
    }

    deinit { timer.exchange(nil)?.cancel() }

    /// The progress: set `totalUnitCount` and `completedUnitCount`, or add children.
    open var progress: Progress { counted }

    /// The title for the user.
    open var title: String { texts.withLock { $0.title } }
    /// The subtitle for the user.
    open var subtitle: String { texts.withLock { $0.subtitle } }

    /// Lets its user read something else.
    open func updateTitle(_ title: String, subtitle: String) {
        texts.exchange((title, subtitle))
        launch.report(progress.fractionCompleted, words)
    }

    private var words: String {
        texts.withLock { $0.subtitle.isEmpty ? $0.title : "\($0.title): \($0.subtitle)" }
    }

    /// Passes on how far it is, and sees whether it has come any further.
    private func look() {
        let fraction = progress.fractionCompleted
        let isStalled = stall.withLock { $0.look(fraction, remaining: launch.remaining) }
        launch.report(fraction, words)
        if isStalled, !launch.isExpired {
            launch.host.log(
                .warning, "\(self) has made no progress for 60 s; its time is over")
            launch.stop()
        }
    }

    override func willComplete(_ success: Bool) { timer.exchange(nil)?.cancel() }
}
