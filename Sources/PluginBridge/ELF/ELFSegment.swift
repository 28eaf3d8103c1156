// SPDX-License-Identifier: Apache-2.0

/// A program header of an ELF file, unchecked.
package struct ELFSegment {
    /// Numbers of the ELF specification, as far as they are needed.
    static var loaded: UInt32 { 1 }  // PT_LOAD
    static var dynamic: UInt32 { 2 }  // PT_DYNAMIC
    static var note: UInt32 { 4 }  // PT_NOTE
    static var headers: UInt32 { 6 }  // PT_PHDR
    static var threadLocal: UInt32 { 7 }  // PT_TLS
    static var unwinding: UInt32 { 0x6474_E550 }  // PT_GNU_EH_FRAME
    package static var stack: UInt32 { 0x6474_E551 }  // PT_GNU_STACK
    static var readOnlyLater: UInt32 { 0x6474_E552 }  // PT_GNU_RELRO
    static var property: UInt32 { 0x6474_E553 }  // PT_GNU_PROPERTY

    // Bits of the flags.
    package static var executable: UInt32 { 1 }  // PF_X
    static var writable: UInt32 { 2 }
    static var readable: UInt32 { 4 }

    package let type: UInt32
    /// Whether it can be run, written and read: 1, 2 and 4.
    package let flags: UInt32
    /// The offset in the file.
    let offset: UInt64
    /// The address in memory, relative to the library.
    let address: UInt64
    /// The number of bytes in the file.
    let size: UInt64
    /// The number of bytes in memory.
    let memorySize: UInt64
    let alignment: UInt64
}
