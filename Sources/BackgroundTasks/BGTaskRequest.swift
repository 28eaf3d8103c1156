// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A request for a task, as `BGTaskScheduler.submit` takes it. Abstract: submit one of its subclasses.
open class BGTaskRequest: NSObject, NSCopying, @unchecked Sendable {
    // Sendable: as in Apple's framework it is filled by one thread and then submitted, which copies it.

    /// The identifier of its handler.
    public let identifier: String

    /// The earliest date of the launch, which may also happen later. With nil there is no delay.
    open var earliestBeginDate: Date?

    init(_ identifier: String) { self.identifier = identifier }

    /// Returns a copy of the same class.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    func duplicate() -> BGTaskRequest {
        let copy = BGTaskRequest(identifier)
        copy.earliestBeginDate = earliestBeginDate
        return copy
    }

    /// The description, as Apple prints it.
    open override var description: String {
        let date = earliestBeginDate.map { "\($0)" } ?? "(null)"
        return "<\(type(of: self)): \(identifier), earliestBeginDate: \(date)\(details)>"
    }

    var details: String { "" }
}

/// A request to launch the app for a short while, to refresh what it shows: 30 s.
open class BGAppRefreshTaskRequest: BGTaskRequest, @unchecked Sendable {
    /// Makes a request for the handler that is registered under an identifier.
    public init(identifier: String) { super.init(identifier) }

    override func duplicate() -> BGTaskRequest {
        let copy = BGAppRefreshTaskRequest(identifier: identifier)
        copy.earliestBeginDate = earliestBeginDate
        return copy
    }
}
