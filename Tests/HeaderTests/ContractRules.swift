// SPDX-License-Identifier: Apache-2.0

/// The rules every public header keeps. Each returns what breaks it, nothing when all is well.
enum ContractRules {
    /// Whatever is called has exactly one tag, of known words; nothing else has one.
    static func tags(_ declarations: [Declaration], _ vocabulary: TagVocabulary) -> [String] {
        withMembers(declarations).flatMap { declaration -> [String] in
            let expected = declaration.isCallable ? 1 : 0
            let count = declaration.tags.count
            return
                (count == expected
                ? [] : ["\(declaration.title) has \(count) tags and needs \(expected)"])
                + declaration.tags.filter { !vocabulary.threads.contains($0.thread) }
                .map { "\(declaration.title): types.h knows no thread \($0.thread)" }
                + declaration.tags.filter { !vocabulary.states.contains($0.state) }
                .map { "\(declaration.title): types.h knows no state \($0.state)" }
        }
    }

    /// A comment stands right before whatever is called.
    static func documentation(_ declarations: [Declaration]) -> [String] {
        withMembers(declarations).filter { $0.isCallable && !$0.isDocumented }
            .map { "\($0.title) has no comment right before it" }
    }

    /// There is nothing but plain declarations, which every language can read.
    static func forms(_ declarations: [Declaration]) -> [String] {
        declarations.flatMap { declaration in
            declaration.unknown.map { "\(declaration.title): \($0) is no plain declaration" }
                + declaration.parameters.filter(\.name.isEmpty)
                .map { _ in "\(declaration.title): a parameter has no name" }
        }
    }

    /// Structures can grow, and every type is the same for every compiler and language.
    static func shapes(_ declarations: [Declaration]) -> [String] {
        let structures = declarations.filter { $0.kind == .structure }
        let grown = Set(structures.flatMap { [$0.name, $0.cName] })
        var findings: [String] = []
        for structure in structures {
            let first = structure.members.first
            if first?.name != "struct_size" || first?.type != "uint32_t" {
                findings.append("\(structure.title) does not begin with uint32_t struct_size")
            }
            for member in structure.members
            where member.kind != .value && member.kind != .functionPointer {
                findings.append("\(member.title): a member is neither a struct nor an enum itself")
            }
        }
        for declaration in withMembers(declarations) {
            switch declaration.kind {
            case .structure: continue
            case .enumeration where declaration.name.isEmpty: continue
            case .enumeration:
                findings.append(
                    "\(declaration.title): its size is the compiler's choice;"
                        + " name an int32_t, and leave the enum anonymous")
                continue
            case .unknown: continue
            case .function, .functionPointer, .callback, .alias, .value: break
            }
            let isOpaque = declaration.kind == .alias && declaration.type.hasPrefix("struct ")
            let hasNoResult =
                declaration.isCallable && declaration.type == "void" && !declaration.isPointer
            if !isOpaque, !hasNoResult { findings += type(of: declaration, grown) }
            for parameter in declaration.parameters {
                findings +=
                    parameter.kind == .value
                    ? type(of: parameter, grown)
                    : ["\(parameter.title): name the callback's type by a typedef"]
            }
        }
        return findings
    }

    /// Whatever a program sees at file scope carries the prefix.
    static func names(_ declarations: [Declaration], macros: [String]) -> [String] {
        let names = declarations.flatMap { declaration in
            Set([declaration.name, declaration.structureTag] + declaration.constants).sorted()
                .map { (name: $0, place: declaration.place) }
        }
        return names.filter { !$0.name.isEmpty && !hasPrefix($0.name) }
            .map { "\($0.place): \($0.name) has no prefix curfew_ or CURFEW_" }
            + macros.filter { !$0.hasPrefix("CURFEW_") }
            .map { "the macro \($0) has no prefix CURFEW_" }
    }

    /// The values of the statuses are 0, 1, 2, …; no name and no text is there twice, or empty.
    static func statuses(_ rows: [StatusRow]) -> [String] {
        var findings: [String] = []
        for (index, row) in rows.enumerated() {
            if row.value != index {
                findings.append("\(row.name) is \(row.value) and should be \(index)")
            }
            if row.text.isEmpty { findings.append("\(row.name) has no text") }
            for earlier in rows[..<index] where earlier.name == row.name {
                findings.append("\(row.name) is there twice")
            }
            for earlier in rows[..<index] where earlier.text == row.text {
                findings.append("\(row.name) has the text of \(earlier.name)")
            }
        }
        return findings
    }

    /// A declaration with its members after it.
    private static func withMembers(_ declarations: [Declaration]) -> [Declaration] {
        declarations.flatMap { [$0] + $0.members }
    }

    private static func hasPrefix(_ name: String) -> Bool {
        name.hasPrefix("curfew_") || name.hasPrefix("CURFEW_")
    }

    private static func type(of declaration: Declaration, _ structures: Set<String>) -> [String] {
        let fixed = ["8", "16", "32", "64"].flatMap { ["int\($0)_t", "uint\($0)_t"] }
        let type = declaration.type
        if structures.contains(type) {
            return declaration.isPointer
                ? [] : ["\(declaration.title): \(type) by value could never grow"]
        }
        if type == "void" || type == "char" {
            return declaration.isPointer || type == "char" && declaration.isArray
                ? [] : ["\(declaration.title): \(type) is only for pointers and text"]
        }
        let isKnown =
            (fixed + ["_Bool", "double"]).contains(type)
            || type.hasPrefix("curfew_")
        return isKnown
            ? [] : ["\(declaration.title): \(type) is not of a size that is the same everywhere"]
    }
}
