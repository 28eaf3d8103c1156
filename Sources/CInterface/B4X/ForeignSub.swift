// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Runner
import Scheduling

/// A sub in C: the embedder's function and its data.
struct ForeignSub: @unchecked Sendable {
    // Sendable: the embedder promises that the loop's thread may use function and data.

    let function: curfew_target_sub_function
    let data: UnsafeMutableRawPointer?

    func call(_ event: TargetEvent) throws -> EventValue? {
        var value = curfew_value()
        value.struct_size = UInt32(MemoryLayout<curfew_value>.size)
        let error = UnsafeMutablePointer<curfew_error>.allocate(capacity: 1)
        defer { error.deallocate() }
        UnsafeMutableRawPointer(error).initializeMemory(
            as: UInt8.self, repeating: 0, count: MemoryLayout<curfew_error>.size)
        error.pointee.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        let status = RaisedEvent.with(event) { function(data, $0, &value, error) }
        guard status == CURFEW_OK else {
            throw SubFailure(status: Status(rawValue: status), text: ErrorBuffer.text(error))
        }
        guard value.type != 0 else { return nil }
        guard let read = ValueReader.read(&value, count: 1)?.first else {
            throw SubFailure(
                status: .invalid,
                text:
                    "the value that \(event.selector) returned is of no known type, or a text that is NULL"
            )
        }
        return read
    }
}
