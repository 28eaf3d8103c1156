// SPDX-License-Identifier: Apache-2.0
package import CCurfew
@preconcurrency import CFFI
package import Scheduling

/// A C call of one signature, prepared once: `void function(void *data, parameters…)` through libffi.
package final class PreparedCall: @unchecked Sendable {
    // Sendable: everything is written in init; `storage` is used by one thread at a time, the one
    // that runs the event loop, and libffi has read it before the function is entered.

    private let interface: UnsafeMutablePointer<ffi_cif>
    private let types: UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>
    private let storage: UnsafeMutablePointer<UInt64>
    private let addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// The parameters it was prepared for, without the data.
    package let parameters: [EventType]
    /// The number of parameters before them: 1, or 0 for functions without data.
    private let leading: Int
    /// All arguments are passed in registers for integers, so that the call needs no libffi, which
    /// takes some 180 instructions for each argument.
    private let isDirect: Bool

    package init(_ parameters: [EventType], takesData: Bool = true) {
        self.parameters = parameters
        leading = takesData ? 1 : 0
        isDirect = takesData && parameters.count < 6 && !parameters.contains(.double)
        let total = leading + parameters.count
        let count = max(total, 1)
        interface = .allocate(capacity: 1)
        interface.initialize(to: ffi_cif())
        types = .allocate(capacity: count)
        storage = .allocate(capacity: count)
        addresses = .allocate(capacity: count)
        storage.initialize(repeating: 0, count: count)
        types.initialize(repeating: nil, count: count)
        addresses.initialize(repeating: nil, count: count)
        for index in 0..<total {
            // A text is a pointer, and so is the data.
            types[index] = ForeignType.of(
                index < leading ? .text : parameters[index - leading])
            addresses[index] = UnsafeMutableRawPointer(storage + index)
        }
        let prepared = ffi_prep_cif(
            interface, FFI_DEFAULT_ABI, UInt32(total), ForeignType.void, types)
        precondition(prepared == FFI_OK, "libffi knows all of our types")
    }

    deinit {
        interface.deallocate()
        types.deallocate()
        storage.deallocate()
        addresses.deallocate()
    }

    /// Calls `function`, which must have exactly the prepared parameters. `values` has as many
    /// elements; a text is NUL-terminated. `data` is for functions that take it.
    package func call(
        _ function: curfew_any_function, _ data: UnsafeMutableRawPointer?,
        _ values: UnsafePointer<curfew_value>
    ) {
        if leading == 1 { storage.pointee = UInt64(UInt(bitPattern: data)) }
        for index in 0..<parameters.count {
            let slot = UnsafeMutableRawPointer(storage + leading + index)
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
        #if arch(x86_64) || arch(arm64)
            if isDirect { return callDirectly(function, data) }
        #endif
        ffi_call(interface, function, nil, addresses)
    }

    /// Passes each argument as 64 bits, of which a function with a smaller parameter reads the lower
    /// ones. Six of them have registers in the System V ABI of x86-64, eight in AAPCS64.
    private func callDirectly(
        _ function: curfew_any_function, _ data: UnsafeMutableRawPointer?
    ) {
        typealias Data = UnsafeMutableRawPointer?
        typealias Word = UInt64
        typealias Words5 = @convention(c) (Data, Word, Word, Word, Word, Word) -> Void
        let word = storage + 1
        switch parameters.count {
        case 0: unsafeBitCast(function, to: (@convention(c) (Data) -> Void).self)(data)
        case 1:
            unsafeBitCast(function, to: (@convention(c) (Data, Word) -> Void).self)(data, word[0])
        case 2:
            unsafeBitCast(function, to: (@convention(c) (Data, Word, Word) -> Void).self)(
                data, word[0], word[1])
        default:
            // Registers that a function has no parameter for are free for any value.
            unsafeBitCast(function, to: Words5.self)(
                data, word[0], word[1], word[2], parameters.count > 3 ? word[3] : 0,
                parameters.count > 4 ? word[4] : 0)
        }
    }
}
