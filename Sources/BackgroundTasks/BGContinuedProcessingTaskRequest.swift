// SPDX-License-Identifier: Apache-2.0

/// A request for work that a user has begun and waits for: it begins at once, if it can, and goes on
/// when the app is not seen any more. `earliestBeginDate` is ignored.
open class BGContinuedProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
    /// The treatment of a request that cannot begin at once.
    public enum SubmissionStrategy: Int, @unchecked Sendable {
        /// `submit` throws `immediateRunIneligible`.
        case fail = 0
        /// It waits until it can.
        case queue = 1
    }

    /// The resources besides processor and memory.
    public struct Resources: OptionSet, @unchecked Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Nothing special. Apple's Swift has no such name either: Objective-C's option without a bit
        /// is imported as unavailable.
        @available(*, unavailable, message: "use [] to construct an empty option set")
        public static var `default`: Resources { [] }
        /// The graphics processor. Not supported here.
        public static let gpu = Resources(rawValue: 1 << 0)
    }

    /// The title for the user.
    open var title: String
    /// The subtitle for the user.
    open var subtitle: String

    /// Queued by default.
    open var strategy = SubmissionStrategy.queue

    /// None by default.
    open var requiredResources: Resources = []

    /// Makes a request for the handler that is registered under an identifier.
    public init(identifier: String, title: String, subtitle: String) {
        self.title = title
        self.subtitle = subtitle
        super.init(identifier)
    }

    override func duplicate() -> BGTaskRequest {
        let copy = BGContinuedProcessingTaskRequest(
            identifier: identifier, title: title, subtitle: subtitle)
        copy.earliestBeginDate = earliestBeginDate
        copy.strategy = strategy
        copy.requiredResources = requiredResources
        return copy
    }

    override var details: String { ", title: \(title), subtitle: \(subtitle)" }
}
