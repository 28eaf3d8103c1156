// SPDX-License-Identifier: Apache-2.0

/// One declaration of a header, or one member or parameter inside of it.
struct Declaration {
    let kind: Kind
    /// The declared name; "" for an anonymous enumeration.
    let name: String
    /// The words of the type, of a function's result, or of a structure's head.
    let type: [String]
    /// The parameters of a function or function pointer.
    var parameters: [Declaration] = []
    /// The members of a structure.
    var members: [Declaration] = []
    /// The constants of an enumeration.
    var constants: [String] = []
    /// The tags that stand in it, outside of its members.
    var tags: [Tag] = []
    /// Whether a comment stands right before it.
    let isDocumented: Bool
    /// Where it stands: `curfew/host.h:12`.
    let place: String

    /// How a finding calls it.
    var title: String { "\(place): \(name)" }

    /// Whether it is something that is called.
    var isCallable: Bool { [.function, .functionPointer, .callback].contains(kind) }

    /// How a C program names a structure.
    var cName: String { type.count > 1 ? type.joined(separator: " ") : name }
}
