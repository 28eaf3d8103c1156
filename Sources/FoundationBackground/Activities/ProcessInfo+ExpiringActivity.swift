// SPDX-License-Identifier: Apache-2.0
import AppHost
public import Foundation

extension ProcessInfo {
    /// Does work that goes on when the app, or the extension, is not seen any more, for as long as the
    /// process' background time lasts. Returns at once; `block` is called on threads of the system's.
    ///
    /// The block is called with false, and the activity ends when it returns. If the process is
    /// about to be suspended before that, the block is called a second time with true, while the
    /// first call continues, and should stop that as soon as possible. If the process is already
    /// suspended, or its time is over, it is called with true only.
    ///
    /// - Parameters:
    ///   - reason: what it is for, in the log; not empty.
    ///   - block: called once or twice, perhaps at the same time.
    public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
    ) {
        guard !reason.isEmpty else {
            _ = AppHost.shared.answer(
                Misuse(
                    "-[NSProcessInfo performExpiringActivityWithReason:usingBlock:]: reason must not be empty",
                    name: "NSInvalidArgumentException"))
            return
        }
        ExpiringActivity(reason, .shared, block).begin()
    }
}
