// SPDX-License-Identifier: Apache-2.0

/// The types of relocations that a linker puts into a shared object, by what the loader does for them.
enum ELFRelocation {
    case nothing
    /// Writes where the library is, plus the addend.
    case relative
    /// Calls a function of the library, and writes what it returns.
    case indirect
    /// Writes the value of a symbol.
    case symbol(bytes: UInt64)
    /// Writes the number of the module that has a thread-local variable.
    case threadModule
    /// Writes where the variable is in its module's block.
    case threadOffset
    /// Writes where the variable is in the room that threads have from their beginning.
    case staticThreadOffset
    /// Writes a function and its argument, which find the variable.
    case threadDescriptor
    /// Copies a variable of another library; only programs have such.
    case copy

    /// The second word of a relative relocation, which names no symbol.
    static var relativeInfo: UInt64? {
        #if arch(x86_64)
            8
        #elseif arch(arm64)
            1_027
        #else
            nil
        #endif
    }

    /// Whether a type writes eight bytes that the value of a symbol decides, and nothing else.
    @inline(__always)
    static func isPlainSymbol(_ type: UInt64) -> Bool {
        #if arch(x86_64)
            type == 1 || type == 6 || type == 7
        #elseif arch(arm64)
            type == 257 || type == 1_025 || type == 1_026
        #else
            false
        #endif
    }

    /// The number of bytes that the loader writes.
    var width: UInt64 {
        switch self {
        case .nothing: 0
        case .symbol(let bytes): bytes
        case .threadDescriptor: 16
        default: 8
        }
    }

    /// The types of this processor's psABI; nil for any other. On processors that are not here every
    /// library is tried first.
    @inline(__always)
    static func kind(_ type: UInt32) -> ELFRelocation? {
        #if arch(x86_64)
            switch type {
            case 0: .nothing
            case 1, 6, 7, 33: .symbol(bytes: 8)  // 64, GLOB_DAT, JUMP_SLOT, SIZE64
            case 2, 10, 32: .symbol(bytes: 4)  // PC32, 32, SIZE32
            case 5: .copy
            case 8: .relative
            case 16: .threadModule
            case 17: .threadOffset
            case 18: .staticThreadOffset
            case 36: .threadDescriptor
            case 37: .indirect
            default: nil
            }
        #elseif arch(arm64)
            switch type {
            case 0: .nothing
            case 257, 1_025, 1_026: .symbol(bytes: 8)  // ABS64, GLOB_DAT, JUMP_SLOT
            case 1_024: .copy
            case 1_027: .relative
            case 1_028: .threadModule
            case 1_029: .threadOffset
            case 1_030: .staticThreadOffset
            case 1_031: .threadDescriptor
            case 1_032: .indirect
            default: nil
            }
        #else
            type == 0 ? .nothing : nil
        #endif
    }
}
