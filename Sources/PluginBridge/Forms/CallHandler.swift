// SPDX-License-Identifier: Apache-2.0
import CCurfew
@preconcurrency import CFFI
internal import Glibc

/// A handler of form `call`: a C function of any library, called through libffi as its manifest
/// says.
final class CallHandler: @unchecked Sendable {
    // Sendable: everything is written in init and constant; a call has its values on its own stack.

    private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void

    private let call: ManifestCall
    private let function: @convention(c) () -> Void
    private let free: Free?
    private let interface: UnsafeMutablePointer<ffi_cif>
    private let types: UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>
    /// Texts and bytes that stand in the manifest, by argument.
    private let literals: [UnsafeMutableRawPointer?]

    /// Finds the functions; `find` looks in the library the manifest names.
    init(
        _ call: ManifestCall, library: String,
        find: (String) -> UnsafeMutableRawPointer?
    ) throws(BridgeError) {
        self.call = call
        guard let symbol = find(call.function) else {
            throw BridgeError(.function, CheckedLibrary.missingFunction(call.function, in: library))
        }
        function = unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)
        switch call.free {
        case nil: free = nil
        case "free": free = { Glibc.free($0) }
        case let name?:
            guard let symbol = find(name) else {
                throw BridgeError(.function, CheckedLibrary.missingFunction(name, in: library))
            }
            free = unsafeBitCast(symbol, to: Free.self)
        }
        let parameters = call.signature.parameters
        interface = .allocate(capacity: 1)
        interface.initialize(to: ffi_cif())
        types = .allocate(capacity: max(1, parameters.count))
        types.initialize(repeating: nil, count: max(1, parameters.count))
        for (index, parameter) in parameters.enumerated() {
            types[index] =
                if case .value(let type) = parameter { ForeignType.of(type) } else {
                    ForeignType.of(.bytes)
                }
        }
        let prepared = ffi_prep_cif(
            interface, FFI_DEFAULT_ABI, UInt32(parameters.count),
            ForeignType.of(call.signature.result), types)
        precondition(prepared == FFI_OK, "libffi knows all of our types")
        literals = call.arguments.map { argument in
            switch argument {
            case .text(let text): Self.copy(Array(text.utf8) + [0])
            // A pointer to nothing is not null: for many functions that means something else.
            case .bytes(let bytes): Self.copy(bytes + [0])
            default: nil
            }
        }
    }

    deinit {
        interface.deallocate()
        types.deallocate()
        for literal in literals { literal?.deallocate() }
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 16)
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        return memory
    }

    /// Returns the code that a worker calls. The worker does not retain this object.
    func code(_ api: UnsafePointer<curfew_host_api>) -> HandlerCode {
        HandlerCode(
            run: runCall, expired: nil, data: Unmanaged.passUnretained(self).toOpaque(), api: api)
    }

    // MARK: Calling

    fileprivate func run(
        _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task
    ) -> curfew_status {
        guard let payload = payload(of: task, api) else { return Status.stale.rawValue }
        let count = call.arguments.count
        // First the arguments, then the values that pointers point to.
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * count + 1) { words in
            words.initialize(repeating: 0)
            var made: [UnsafeMutableRawPointer] = []
            defer { for memory in made { Glibc.free(memory) } }
            for index in 0..<count {
                if let problem = set(words, index, payload, &made) {
                    return TaskAnswer.fail(problem, api, task)
                }
            }
            let (result, code) = enter(words, count)
            return answer(result, code, words, api, task)
        }
    }

    private func payload(
        of task: curfew_task, _ api: UnsafePointer<curfew_host_api>
    ) -> UnsafeRawBufferPointer? {
        withUnsafeTemporaryAllocation(of: curfew_task_info.self, capacity: 1) { info in
            let memory = UnsafeMutableRawPointer(info.baseAddress!)
            let size = MemoryLayout<curfew_task_info>.size
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            memory.storeBytes(of: UInt32(size), as: UInt32.self)
            guard api.pointee.task_info(api, task, info.baseAddress!) == Status.ok.rawValue else {
                return nil
            }
            return UnsafeRawBufferPointer(
                start: info[0].payload, count: Int(info[0].payload_bytes))
        }
    }

    private func enter(
        _ words: UnsafeMutableBufferPointer<UInt64>, _ count: Int
    ) -> (result: UInt64, errno: Int32) {
        withUnsafeTemporaryAllocation(
            of: UnsafeMutableRawPointer?.self, capacity: max(1, count)
        ) { addresses in
            for index in 0..<count {
                addresses.initializeElement(
                    at: index, to: UnsafeMutableRawPointer(words.baseAddress! + index))
            }
            // libffi widens small results to a register.
            var result: UInt64 = 0
            errno = 0
            ffi_call(interface, function, &result, addresses.baseAddress)
            return (result, errno)
        }
    }

    /// Sets one argument; returns why it cannot be.
    private func set(
        _ words: UnsafeMutableBufferPointer<UInt64>, _ index: Int,
        _ payload: UnsafeRawBufferPointer, _ made: inout [UnsafeMutableRawPointer]
    ) -> String? {
        let parameter = call.signature.parameters[index]
        func set(_ pointer: UnsafeMutableRawPointer?) {
            words[index] = UInt64(UInt(bitPattern: pointer))
        }
        func make(_ count: Int) -> UnsafeMutableRawPointer? {
            guard let memory = calloc(1, count) else { return nil }
            made.append(memory)
            return memory
        }
        switch call.arguments[index] {
        case .integer(let bits): words[index] = bits
        case .number(let number): words[index] = Self.bits(number, parameter)
        case .text, .bytes: set(literals[index])
        case .null: set(nil)
        case .out(let bits):
            let target = words.count - 1 - call.arguments.count + index
            words[target] = bits
            set(UnsafeMutableRawPointer(words.baseAddress! + target))
        case .buffer(let count):
            guard let memory = make(count) else { return "there is no memory for a buffer" }
            set(memory)
        case .length(let other):
            let length = self.length(of: other, payload)
            guard case .value(let type) = parameter, let range = type.range,
                UInt64(length) <= range.greatest
            else {
                return
                    "argument \(other + 1) has \(length) bytes, too many for argument \(index + 1)"
            }
            words[index] = UInt64(length)
        case .payload:
            guard case .value(let type) = parameter else { return nil }
            switch type {
            case .text, .bytes:
                if type == .text, payload.contains(0) {
                    return
                        "the payload has a zero byte in it, where a text of C ends; nothing was called"
                }
                guard let memory = make(payload.count + 1) else {
                    return "there is no memory for the payload"
                }
                if let start = payload.baseAddress {
                    memory.copyMemory(from: start, byteCount: payload.count)
                }
                set(memory)
            default:
                guard let bits = Self.read(payload, as: type, parameter) else {
                    return "the payload is no \(type.rawValue); nothing was called"
                }
                words[index] = bits
            }
        }
        return nil
    }

    private func length(of index: Int, _ payload: UnsafeRawBufferPointer) -> Int {
        switch call.arguments[index] {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .buffer(let count): count
        default: payload.count
        }
    }

    private static func bits(_ number: Double, _ parameter: CallParameter) -> UInt64 {
        parameter == .value(.float) ? UInt64(Float(number).bitPattern) : number.bitPattern
    }

    /// Reads the payload as a number or truth value, without a line feed at its end.
    private static func read(
        _ payload: UnsafeRawBufferPointer, as type: CallType, _ parameter: CallParameter
    ) -> UInt64? {
        guard payload.count <= 64, var text = String(validating: payload, as: UTF8.self) else {
            return nil
        }
        if text.hasSuffix("\n") { text.removeLast() }
        if type == .bool { return text == "true" ? 1 : text == "false" ? 0 : nil }
        if type.isFloating { return Double(text).map { bits($0, parameter) } }
        guard let range = type.range else { return nil }
        if let signed = Int64(text) {
            guard signed < 0 ? signed >= range.least : UInt64(signed) <= range.greatest else {
                return nil
            }
            return UInt64(bitPattern: signed)
        }
        return UInt64(text).flatMap { $0 <= range.greatest ? $0 : nil }
    }

    // MARK: Answering

    private func answer(
        _ result: UInt64, _ code: Int32, _ words: UnsafeMutableBufferPointer<UInt64>,
        _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task
    ) -> curfew_status {
        let type = call.signature.result
        let returned = Self.value(result, type)
        // Frees the kept text, or else the returned one.
        let freed =
            keptText(words)
            ?? (type == .text ? UnsafeMutableRawPointer(bitPattern: UInt(result)) : nil)
        let found = find(returned, code, words)
        // Free before the task is over, so that a thread that waits for the task finds the memory
        // freed.
        if let freed { free?(freed) }
        switch found {
        case .nothing: return Status.ok.rawValue
        case .problem(let text): return TaskAnswer.fail(text, api, task)
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { TaskAnswer.succeed($0, api, task) }
        case .buffer(let bytes): return TaskAnswer.succeed(bytes, api, task)
        }
    }

    /// The result of a call, to be reported to the host.
    private enum Finding {
        case nothing
        case problem(String)
        case bytes([UInt8])
        /// In the buffer of the call.
        case buffer(UnsafeRawBufferPointer)
    }

    private func find(
        _ returned: CallValue, _ code: Int32, _ words: UnsafeMutableBufferPointer<UInt64>
    ) -> Finding {
        let type = call.signature.result
        var problem: String?
        switch call.verdict {
        case .none: break
        case .zero: if !returned.isZero { problem = "\(call.function) returned \(returned.shown)" }
        case .nonZero, .value:
            if returned.isZero, call.verdict == .nonZero || type == .text {
                problem = "\(call.function) returned \(returned.shown)"
            }
        case .errno:
            if returned.isNegative || type == .text && returned.isZero {
                let reason = code == 0 ? "" : ": \(String(cString: strerror(code))) (errno \(code))"
                problem = "\(call.function) returned \(returned.shown)\(reason)"
            }
        case .done:
            if case .text(let bytes) = returned, !bytes.elementsEqual(SubsHandler.success.utf8) {
                problem = String(decoding: bytes, as: UTF8.self)
            }
            if returned.isZero { problem = "\(call.function) returned \(returned.shown)" }
        }
        return problem.map { .problem($0) } ?? keep(returned, words)
    }

    /// A text it wrote to an `out` argument, which is freed like one that is returned.
    private func keptText(
        _ words: UnsafeMutableBufferPointer<UInt64>
    ) -> UnsafeMutableRawPointer? {
        guard case .out(let index) = call.keep, call.signature.parameters[index] == .out(.text)
        else { return nil }
        return UnsafeMutableRawPointer(bitPattern: UInt(target(index, words)))
    }

    private func target(_ index: Int, _ words: UnsafeMutableBufferPointer<UInt64>) -> UInt64 {
        words[words.count - 1 - call.arguments.count + index]
    }

    private func keep(
        _ returned: CallValue, _ words: UnsafeMutableBufferPointer<UInt64>
    ) -> Finding {
        func value(_ value: CallValue) -> Finding {
            guard let bytes = value.bytes else {
                return .problem("\(call.function) gave no text")
            }
            guard bytes.count < CallValue.textLimit else {
                return .problem(
                    "\(call.function) gave a text of \(CallValue.textLimit) bytes or more; let it write to a buffer, or return less"
                )
            }
            return .bytes(bytes)
        }
        func buffer(_ index: Int) -> UnsafeRawBufferPointer {
            guard case .buffer(let count) = call.arguments[index] else {
                return UnsafeRawBufferPointer(start: nil, count: 0)
            }
            return UnsafeRawBufferPointer(
                start: UnsafeRawPointer(bitPattern: UInt(words[index])), count: count)
        }
        switch call.keep {
        case nil: return .nothing
        case .returned: return value(returned)
        case .out(let index):
            guard case .out(let type) = call.signature.parameters[index] else { return .nothing }
            return value(Self.value(target(index, words), type))
        case .bufferText(let index):
            let bytes = buffer(index)
            let end = bytes.firstIndex(of: 0) ?? bytes.count
            return .buffer(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        case .buffer(let index, let place):
            let bytes = buffer(index)
            let length: CallValue
            if let place, case .out(let type) = call.signature.parameters[place] {
                length = Self.value(target(place, words), type)
            } else {
                length = returned
            }
            guard let count = length.count, count <= bytes.count else {
                return .problem(
                    "\(call.function) gave \(length.shown) for a length of its buffer of \(bytes.count) bytes"
                )
            }
            return .buffer(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }

    /// Reads a value of a type from a register or a place in memory.
    private static func value(_ bits: UInt64, _ type: CallType) -> CallValue {
        switch type {
        case .void: .text([])
        case .bool: .bool(UInt8(truncatingIfNeeded: bits) != 0)
        case .int8: .signed(Int64(Int8(truncatingIfNeeded: bits)))
        case .int16: .signed(Int64(Int16(truncatingIfNeeded: bits)))
        case .int32: .signed(Int64(Int32(truncatingIfNeeded: bits)))
        case .int64: .signed(Int64(bitPattern: bits))
        case .uint8: .unsigned(UInt64(UInt8(truncatingIfNeeded: bits)))
        case .uint16: .unsigned(UInt64(UInt16(truncatingIfNeeded: bits)))
        case .uint32: .unsigned(UInt64(UInt32(truncatingIfNeeded: bits)))
        case .uint64: .unsigned(bits)
        case .float: .single(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case .double: .double(Double(bitPattern: bits))
        case .text, .bytes:
            UnsafePointer<CChar>(bitPattern: UInt(bits)).map { text in
                let length = strnlen(text, CallValue.textLimit)
                return .text(Array(UnsafeRawBufferPointer(start: text, count: length)))
            } ?? .noText
        }
    }
}

private let runCall: curfew_run_function = { data, api, task, _ in
    Unmanaged<CallHandler>.fromOpaque(data!)._withUnsafeGuaranteedRef { $0.run(api, task) }
}
