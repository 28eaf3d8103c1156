// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// The machine's clock, which stops while the machine sleeps: time in which nothing can run does
/// not count.
public struct SystemBackgroundClock: BackgroundClock {
    /// Makes it; all of them are the same.
    public init() {}

    /// Nanoseconds since the machine was started.
    public var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Calls `body` on a queue of the system's.
    public func wake(at time: UInt64, _ body: @escaping @Sendable () -> Void) -> BackgroundAlarm {
        let timer = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
        timer.setEventHandler(handler: body)
        timer.schedule(deadline: DispatchTime(uptimeNanoseconds: time))
        timer.resume()
        // A timer may be cancelled from any thread.
        nonisolated(unsafe) let source = timer
        return BackgroundAlarm { source.cancel() }
    }
}
