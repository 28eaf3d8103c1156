// SPDX-License-Identifier: Apache-2.0

extension Declaration {
    /// What a declaration declares.
    enum Kind {
        case function
        /// A member or parameter that is a function pointer, written out.
        case functionPointer
        /// A typedef of a function pointer.
        case callback
        case structure
        case enumeration
        /// A typedef of anything else.
        case alias
        /// A member, a parameter or a variable.
        case value
    }
}
