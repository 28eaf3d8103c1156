// SPDX-License-Identifier: Apache-2.0

/// A program header of an ELF file, as it stands there: nothing of it has been checked.
struct ELFSegment {
    /// Numbers of the ELF specification, as far as they are needed.
    static var loaded: UInt32 { 1 }  // PT_LOAD
    static var dynamic: UInt32 { 2 }  // PT_DYNAMIC
    static var note: UInt32 { 4 }  // PT_NOTE
    static var stack: UInt32 { 0x6474_E551 }  // PT_GNU_STACK

    let type: UInt32
    /// Whether it can be run, written and read: 1, 2 and 4.
    let flags: UInt32
    /// Where it begins in the file.
    let offset: UInt64
    /// Where it begins in memory, counted from where the library is put.
    let address: UInt64
    /// How many bytes of it the file has.
    let size: UInt64
    let alignment: UInt64
}
