// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// An event as a target got it.
struct SeenRaised: Sendable {
    let selector: String
    let parameters: [Parameter]
    let task: curfew_task
    let resumable: curfew_resumable
    let sender: UInt
    let isQueued: Bool

    init(_ event: UnsafePointer<curfew_target_event>) {
        selector = String(cString: event.pointee.selector)
        parameters = (0..<Int(event.pointee.count)).compactMap {
            Parameter(event.pointee.values[$0])
        }
        task = event.pointee.task
        resumable = event.pointee.resumable
        sender = UInt(bitPattern: event.pointee.sender)
        isQueued = event.pointee.queued
    }

    /// The name and the values, as a person would write them down.
    var transcript: String {
        let texts = parameters.map { parameter in
            switch parameter {
            case .bool(let flag): "\(flag)"
            case .int32(let number): "\(number)"
            case .int64(let number): "\(number)"
            case .double(let number): "\(number)"
            case .text(let text): "\"\(text)\""
            }
        }
        return "\(selector.prefix { $0 != ":" })(\(texts.joined(separator: ", ")))"
    }
}
