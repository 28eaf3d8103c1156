// SPDX-License-Identifier: Apache-2.0

/// The function behind a handler of form `call`, as the manifest describes it: signature and
/// arguments fit each other.
package struct ManifestCall: Hashable, Sendable {
    /// The soname of a library of the system; nil: the plugin's own library.
    package let systemLibrary: String?
    package let function: String
    package let signature: CallSignature
    /// The arguments, as many as the signature has parameters.
    package let arguments: [CallArgument]
    package let verdict: CallVerdict
    package let keep: CallKeep?
    /// The function that frees a returned text, or an `out text` that is kept: `free` of the C
    /// library, or a function of the same library. With nil the text stays the library's.
    package let free: String?

    /// The function as C declares it, with its library: `uint64 crc32(uint64, bytes, uint32) of
    /// libz.so.1`.
    package var text: String {
        let parameters = signature.parameters.map(\.name).joined(separator: ", ")
        return "\(signature.result.rawValue) \(function)(\(parameters))"
            + (systemLibrary.map { " of \($0)" } ?? "")
    }

    /// The position of the function's name, for faults that only the library shows.
    package let functionPosition: JSONPosition
    package let functionWidth: Int

    /// The reason why a function of the system cannot be called, found in its library's file
    /// without loading it; nil if it can, or if the library is the plugin's own.
    ///
    /// - Parameter allowed: the sonames of the system's libraries that a host would permit.
    package func systemProblem(allowed: [String]) -> BridgeError? {
        guard let systemLibrary else { return nil }
        do throws(BridgeError) {
            let path = try SystemLibrary.path(of: systemLibrary, allowed: allowed)
            for name in [function, free].compactMap(\.self) where name != "free" {
                switch ELFExport.find(name, in: path) {
                case .success(.function): continue
                case .success:
                    throw BridgeError(.function, CheckedLibrary.missingFunction(name, in: path))
                case .failure(let fault):
                    throw BridgeError(.systemLibrary, "\(path) \(fault.message); \(fault.help)")
                }
            }
            return nil
        } catch {
            return error
        }
    }
}

extension Manifest {
    /// Throws where a handler calls a function of a library that a host does not allow.
    ///
    /// - Parameter allowed: the sonames of the system's libraries; nil: the usual ones.
    package func checkSystemLibraries(allowed: [String]?) throws(BridgeError) {
        for name in handlers.compactMap({ $0.call?.systemLibrary }) {
            try SystemLibrary.check(name, allowed: allowed ?? SystemLibrary.usual)
        }
    }
}

/// The meaning of a `call`'s result for its task.
package enum CallVerdict: String, Hashable, Sendable, CaseIterable {
    /// Zero is success.
    case zero
    /// Anything but zero, false or a null pointer is success.
    case nonZero = "non-zero"
    /// The text `Done.` is success, any other is the error.
    case done
    /// A negative number or a null pointer is a failure, with the text of `errno`.
    case errno
    /// Every result is a success, and is the task's result; a null pointer is a failure.
    case value
    /// There is no result: the task has succeeded when the function returns.
    case none
}

/// The value of a `call` that is kept as the task's result. Arguments are counted from 0.
package enum CallKeep: Hashable, Sendable {
    /// The returned value: a number in decimal digits, `true` or `false`, or the text.
    case returned
    /// The value of an `out` argument, in the same form.
    case out(Int)
    /// The text in a buffer, up to the first NUL.
    case bufferText(Int)
    /// Bytes of a buffer; their number is an `out` argument, or the returned value (nil).
    case buffer(Int, length: Int?)
}
