// SPDX-License-Identifier: Apache-2.0
package import PluginBridge

/// The requirements of a library towards other libraries and the process, read from its file.
/// Nothing is loaded, and nothing is trusted.
package struct ELFFacts: Sendable {
    /// The libraries it wants the loader to load, in its order.
    package let needed: [String]
    /// The directories of its DT_RUNPATH, or of its DT_RPATH where it has no other, as they are
    /// written. An empty one is the directory the process is in.
    package let searchPath: [String]
    /// The names of the symbols it offers to others, in the order of its table; with them the names
    /// of versions, where it has any. None where its tables do not tell: then dlsym(3) finds none.
    package let exportedNames: [String]
    /// The exported names that the loader may merge with those of other libraries (STB_WEAK,
    /// STB_GNU_UNIQUE).
    package let weakExportedNames: [String]
    /// The names of the symbols it takes from others, in the order of its table.
    package let imports: [String]
    /// The imports that may be undefined; the loader sets them to NULL.
    package let weakImports: [String]
    /// Its code is written to when it is loaded (DT_TEXTREL).
    package let hasTextRelocations: Bool
    /// It wants stacks that can be run, or does not say that it does without (PT_GNU_STACK).
    package let wantsExecutableStack: Bool
    /// Its thread-local variables are in the small room that threads have from their beginning
    /// (DF_STATIC_TLS): it may be that it cannot be loaded into a running process.
    package let hasStaticTLS: Bool

    // Flags of the ELF specification.
    private static var textRelocationsFlag: UInt64 { 4 }
    private static var staticTLSFlag: UInt64 { 16 }

    package static func read(path: String) -> Result<ELFFacts, ABINoteFault> {
        do throws(ABINoteFault) {
            return .success(try ELFFacts(try ELFSharedObject(path: path)))
        } catch {
            return .failure(error)
        }
    }

    private init(_ library: borrowing ELFSharedObject) throws(ABINoteFault) {
        let dependencies = try ELFDependencies(library)
        needed = dependencies.needed
        searchPath = dependencies.searchPath
        let entries = try ELFEntries(library)
        if let table = try ELFSymbolTable(entries, wanted: true, in: library) {
            func names(_ condition: (Int) -> Bool) throws(ABINoteFault) -> [String] {
                try table.names(of: (0..<table.count).filter(condition), entries, in: library)
            }
            exportedNames = try names { table.isExported($0) }
            weakExportedNames = try names { table.isExported($0) && table.isShared($0) }
            imports = try names { table.isImported($0) }
            weakImports = try names { table.isImported($0) && table.isWeak($0) }
        } else {
            (exportedNames, weakExportedNames, imports, weakImports) = ([], [], [], [])
        }
        let flags = entries[.flags] ?? 0
        hasTextRelocations =
            flags & ELFFacts.textRelocationsFlag != 0
            || entries[.textRelocations] != nil
        hasStaticTLS = flags & ELFFacts.staticTLSFlag != 0
        let stacks = library.segments.filter { $0.type == ELFSegment.stack }
        wantsExecutableStack =
            stacks.isEmpty || stacks.contains { $0.flags & ELFSegment.executable != 0 }
    }
}
