// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension ProcessInfo {
    /// The options of an activity. Linux has no interface for them: they are accepted, and have no
    /// effect.
    public struct ActivityOptions: OptionSet, Sendable {
        /// The values are those of Foundation's headers.
        public let rawValue: UInt64
        /// Takes any number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// The display stays on.
        public static let idleDisplaySleepDisabled = ActivityOptions(rawValue: 1 << 40)
        /// The machine does not sleep for want of input.
        public static let idleSystemSleepDisabled = ActivityOptions(rawValue: 1 << 20)
        /// The process is not ended without being asked.
        public static let suddenTerminationDisabled = ActivityOptions(rawValue: 1 << 14)
        /// The process is not ended for being idle.
        public static let automaticTerminationDisabled = ActivityOptions(rawValue: 1 << 15)
        /// Animations are measured.
        public static let animationTrackingEnabled = ActivityOptions(rawValue: 1 << 45)
        /// The activity is measured.
        public static let trackingEnabled = ActivityOptions(rawValue: 1 << 46)
        /// Its user began it.
        public static let userInitiated = ActivityOptions(rawValue: 0x00FF_FFFF)
        /// Its user began it, and the machine may sleep.
        public static let userInitiatedAllowingIdleSystemSleep = ActivityOptions(
            rawValue: 0x00FF_FFFF & ~(1 << 20))
        /// The app began it.
        public static let background = ActivityOptions(rawValue: 0x0000_00FF)
        /// It must not be late.
        public static let latencyCritical = ActivityOptions(rawValue: 0x00FF_0000_0000)
        /// Its user works with it.
        public static let userInteractive: ActivityOptions = [.userInitiated, .latencyCritical]
    }

    /// Begins an activity, and returns what `endActivity` takes. Changes nothing here.
    ///
    /// - Parameters:
    ///   - options: what is asked for.
    ///   - reason: what it is for; not empty.
    public func beginActivity(
        options: ActivityOptions = [], reason: String
    ) -> any NSObjectProtocol {
        NSString(string: reason)
    }

    /// Ends an activity.
    public func endActivity(_ activity: any NSObjectProtocol) {}

    /// Calls `block` as an activity, and returns when it has.
    public func performActivity(
        options: ActivityOptions = [], reason: String, using block: @escaping () -> Void
    ) {
        let activity = beginActivity(options: options, reason: reason)
        defer { endActivity(activity) }
        block()
    }
}
