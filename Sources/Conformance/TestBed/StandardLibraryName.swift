// SPDX-License-Identifier: Apache-2.0

/// Names of the C++ library, as its ABI writes them.
enum StandardLibraryName {
    /// The prefixes of names: of a virtual table, of type information, of a variable's guard, of a
    /// thread-local variable (Itanium C++ ABI, 5.1.4).
    private static let specials = ["TV", "TT", "TI", "TS", "GV", "GR", "TH", "TW"]
    /// `std` and what is short for parts of it (5.1.10), and the namespaces of the GNU library.
    private static let namespaces = [
        "St", "Sa", "Sb", "Ss", "Si", "So", "Sd", "9__gnu_cxx", "10__cxxabiv1",
    ]

    /// The inline functions of <new> that belong to no namespace: `operator new(size_t, void *)`, its
    /// like for arrays, and what deletes for them.
    private static let placement = ["_ZnwmPv", "_ZnamPv", "_ZdlPvS_", "_ZdaPvS_"]

    /// Whether a mangled name is that of something in the C++ library, or belongs to one: a variable
    /// in one of its functions, what is known of one of its types.
    static func isOne(_ name: String) -> Bool {
        if placement.contains(name) { return true }
        var rest = Substring(name).utf8
        func take(_ text: String) -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }
        func takeAll(_ texts: [String]) { while texts.contains(where: take) {} }
        guard take("_Z") else { return false }
        if specials.contains(where: take) { takeAll(["P", "K"]) }
        takeAll(["Z"])
        if take("N") { takeAll(["r", "V", "K", "R", "O"]) }
        return namespaces.contains { rest.starts(with: $0.utf8) }
    }
}
