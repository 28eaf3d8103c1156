// SPDX-License-Identifier: Apache-2.0
package import CCurfew
@preconcurrency import CFFI
package import Scheduling

/// A C call of one signature, prepared once: `void function(parameters…)` through libffi.
package final class PreparedCall: @unchecked Sendable {
    // Sendable: everything is written in init; `storage` is used by one thread at a time, the one
    // that runs the event loop, and libffi has read it before the function is entered.

    private let interface: UnsafeMutablePointer<ffi_cif>
    private let types: UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>
    private let storage: UnsafeMutablePointer<UInt64>
    private let addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// The parameter types that the call is prepared for.
    package let parameters: [EventType]

    package init(_ parameters: [EventType]) {
        self.parameters = parameters
        let count = max(parameters.count, 1)
        interface = .allocate(capacity: 1)
        interface.initialize(to: ffi_cif())
        types = .allocate(capacity: count)
        storage = .allocate(capacity: count)
        addresses = .allocate(capacity: count)
        storage.initialize(repeating: 0, count: count)
        types.initialize(repeating: nil, count: count)
        addresses.initialize(repeating: nil, count: count)
        for (index, type) in parameters.enumerated() {
            types[index] = ForeignType.of(type)
            addresses[index] = UnsafeMutableRawPointer(storage + index)
        }
        let prepared = ffi_prep_cif(
            interface, FFI_DEFAULT_ABI, UInt32(parameters.count), ForeignType.void, types)
        precondition(prepared == FFI_OK, "libffi knows all of our types")
    }

    deinit {
        interface.deallocate()
        types.deallocate()
        storage.deallocate()
        addresses.deallocate()
    }

    /// Calls `function`, which must have exactly the prepared parameters. `values` has as many
    /// elements; a text is NUL-terminated.
    package func call(_ function: curfew_any_function, _ values: UnsafePointer<curfew_value>) {
        for index in 0..<parameters.count {
            let slot = UnsafeMutableRawPointer(storage + index)
            switch parameters[index] {
            case .bool: slot.storeBytes(of: values[index].integer != 0 ? 1 : 0, as: UInt8.self)
            case .int32:
                slot.storeBytes(
                    of: Int32(truncatingIfNeeded: values[index].integer), as: Int32.self)
            case .int64: slot.storeBytes(of: values[index].integer, as: Int64.self)
            case .double: slot.storeBytes(of: values[index].number, as: Double.self)
            case .text:
                slot.storeBytes(of: values[index].text, as: UnsafePointer<CChar>?.self)
            }
        }
        ffi_call(interface, function, nil, addresses)
    }
}
