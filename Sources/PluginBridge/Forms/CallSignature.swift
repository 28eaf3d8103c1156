// SPDX-License-Identifier: Apache-2.0

/// The signature of a function: `uint64 (uint64, bytes, uint32)`.
package struct CallSignature: Hashable, Sendable {
    package let result: CallType
    package let parameters: [CallParameter]

    /// Parameters a function may have.
    package static var parameterLimit: Int { 16 }

    /// A fault of a signature, with its place in the text.
    struct Fault: Error {
        let offset: Int
        let width: Int
        let message: String
        let help: String
        var isVariadic = false
    }

    init(_ text: String) throws(Fault) {
        var words = CallSignatureWords(text)
        let first = try words.next("a type for the result")
        guard let result = CallType(rawValue: first.text), result != .bytes else {
            throw words.unknown(first, asResult: true)
        }
        var parameters: [CallParameter] = []
        try words.expect("(", after: "the type of the result")
        if !words.skip(")") {
            repeat {
                guard parameters.count < Self.parameterLimit else {
                    throw words.fault(
                        "there are more than \(Self.parameterLimit) parameters",
                        help: "call a function of your own that takes fewer")
                }
                parameters.append(try words.parameter())
            } while words.skip(",")
            try words.expect(")", after: "the last parameter")
        }
        try words.expectEnd()
        self.result = result
        self.parameters = parameters
    }

    /// The text of the signature.
    package var description: String {
        "\(result.rawValue) (\(parameters.map(\.name).joined(separator: ", ")))"
    }
}

/// A parameter in a signature.
package enum CallParameter: Hashable, Sendable {
    /// A value of that type.
    case value(CallType)
    /// A pointer to one, which the function writes to and may read before: `out int64`.
    case out(CallType)
    /// A pointer to memory that the function writes to: `buffer`.
    case buffer

    var name: String {
        switch self {
        case .value(let type): type.rawValue
        case .out(let type): "out \(type.rawValue)"
        case .buffer: "buffer"
        }
    }
}
