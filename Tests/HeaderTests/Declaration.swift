// SPDX-License-Identifier: Apache-2.0

/// One declaration of a header, or one member or parameter inside of it, as clang has read it.
struct Declaration: Decodable, Sendable {
    /// The sorts of declarations that headers have.
    enum Kind: String, Decodable {
        case function
        /// A member or parameter that is a function pointer, written out.
        case functionPointer
        /// A typedef of a function pointer.
        case callback
        case structure
        case enumeration
        /// A typedef of anything else.
        case alias
        /// A member or a parameter.
        case value
        /// Anything that headers should not have.
        case unknown
    }

    /// A CURFEW_TAG: who may call, and when.
    struct Tag: Decodable, Sendable {
        let thread: String
        let state: String
    }

    let kind: Kind
    /// The declared name; "" for an anonymous enumeration.
    let name: String
    /// The name of a structure after `struct`, which may differ from that of its typedef.
    let structureTag: String
    /// The type of a value, or of a function's result, without `const`, pointers and arrays.
    let type: String
    let isPointer: Bool
    let isArray: Bool
    /// The parameters of a function or function pointer.
    let parameters: [Declaration]
    /// The members of a structure.
    let members: [Declaration]
    /// The constants of an enumeration.
    let constants: [String]
    /// The tags that stand in it, outside of its members.
    let tags: [Tag]
    /// What clang calls the parts of it that headers should not have.
    let unknown: [String]
    /// Whether a comment stands right before it.
    let isDocumented: Bool
    /// Where it stands: `curfew/host.h:12`.
    let place: String

    /// How a finding calls it.
    var title: String { "\(place): \(name)" }

    /// Whether it is something that is called.
    var isCallable: Bool { [.function, .functionPointer, .callback].contains(kind) }

    /// How a C program names a structure.
    var cName: String { structureTag.isEmpty ? name : "struct \(structureTag)" }
}
