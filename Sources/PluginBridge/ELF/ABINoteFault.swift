// SPDX-License-Identifier: Apache-2.0

/// Why the ABI of a library could not be read from its file.
package enum ABINoteFault: Error, Hashable, Sendable {
    /// With the words of the operating system.
    case cannotOpen(String)
    case notELF
    /// 32 bits, another byte order, or another processor.
    case otherMachine
    /// An object file or a program.
    case notSharedObject
    /// A sound library, but none that was built as a plugin.
    case noNote
    /// With what does not fit.
    case malformed(String)

    /// The fault, worded to follow the name of the file: lower case, no full stop.
    package var message: String {
        switch self {
        case .cannotOpen(let reason): "cannot be read: \(reason)"
        case .notELF: "is not an ELF file"
        case .otherMachine: "was built for another machine"
        case .notSharedObject: "is not a shared object"
        case .noNote: "has no Curfew note, so its plugin ABI is not known"
        case .malformed(let reason): "is damaged: \(reason)"
        }
    }

    /// The next step.
    package var help: String {
        switch self {
        case .cannotOpen: "check that the file is there and that this user may read it"
        case .notELF: "name the shared object that the linker wrote"
        case .otherMachine: "build the plugin for the machine the host runs on"
        case .notSharedObject: "link the plugin with -shared"
        case .noNote: "put CURFEW_PLUGIN_NOTE(); once at file scope and build the plugin again"
        case .malformed: "install the file again, from where it is whole"
        }
    }
}
