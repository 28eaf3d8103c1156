// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Runner
import Scheduling

/// The C form of a target's event, valid during one call.
enum RaisedEvent {
    static func with<T>(
        _ event: TargetEvent, _ values: [EventValue]? = nil,
        _ body: (UnsafePointer<curfew_target_event>) -> T
    ) -> T {
        let copy = EventCopy.make(event.selector, values ?? event.values)
        defer { UnsafeMutableRawPointer(copy).deallocate() }
        var resumable: UInt64 = 0
        if case .resumable(let number) = event.sender { resumable = number }
        var raised = curfew_target_event(
            struct_size: UInt32(MemoryLayout<curfew_target_event>.size), count: copy.pointee.count,
            selector: copy.pointee.selector, values: copy.pointee.values,
            task: event.sender?.task ?? 0, resumable: resumable, sender: address(event.sender),
            queued: event.mode == .queued, reserved: (0, 0, 0, 0, 0, 0, 0))
        return body(&raised)
    }

    /// Returns the address that code in C passed as the sender; nil for other senders.
    static func address(_ sender: EventSender?) -> UnsafeRawPointer? {
        if case .address(let address) = sender {
            UnsafeRawPointer(bitPattern: address)
        } else {
            nil
        }
    }
}
