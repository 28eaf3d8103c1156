// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// Shows of each check that it fails: on a copy of the headers that breaks what it checks.
@Suite("Broken headers are noticed")
struct BrokenHeadersTests {
    @Test(
        "tags",
        arguments: [
            Breakage("void curfew_x(void);", "curfew_x has 0 tags and needs 1"),
            Breakage(
                "void curfew_x(void) CURFEW_TAG(any, any) CURFEW_TAG(any, any);",
                "curfew_x has 2 tags and needs 1"),
            Breakage("typedef void (*curfew_x)(void);", "curfew_x has 0 tags and needs 1"),
            Breakage("struct curfew_x { void (*y)(void); };", "y has 0 tags and needs 1"),
            Breakage(
                "typedef int32_t curfew_x CURFEW_TAG(any, any);", "curfew_x has 1 tags and needs 0"),
            Breakage(
                "void curfew_x(void) CURFEW_TAG(nowhere, any);",
                "curfew_x: types.h knows no thread nowhere"),
            Breakage(
                "void curfew_x(void) CURFEW_TAG(any, never);",
                "curfew_x: types.h knows no state never"),
        ])
    func tags(breakage: Breakage) throws {
        let vocabulary = TagVocabulary(typesHeader: try Headers.own.source(of: "curfew/types.h"))
        let findings = try findings(of: breakage) {
            ContractRules.tags(try $0.declarations(), vocabulary)
        }
        #expect(findings == [breakage.finding])
    }

    @Test(
        "shapes",
        arguments: [
            Breakage(
                "struct curfew_x { int32_t y; };",
                "curfew_x does not begin with uint32_t struct_size"),
            Breakage(
                "struct curfew_x { uint64_t struct_size; };",
                "curfew_x does not begin with uint32_t struct_size"),
            Breakage(
                "struct curfew_x { uint32_t struct_size; struct { int32_t z; } y; };",
                "y: a member is neither a struct nor an enum itself"),
            Breakage(
                "typedef enum { CURFEW_Y } curfew_x;",
                "curfew_x: its size is the compiler's choice;"
                    + " name an int32_t, and leave the enum anonymous"),
            Breakage(
                "void curfew_x(intptr_t y);",
                "y: intptr_t is not of a size that is the same everywhere"),
            Breakage(
                "struct curfew_x { uint32_t struct_size; unsigned long y; };",
                "y: unsigned long is not of a size that is the same everywhere"),
            Breakage(
                "int curfew_x(void);",
                "curfew_x: int is not of a size that is the same everywhere"),
            Breakage(
                "typedef long curfew_x;",
                "curfew_x: long is not of a size that is the same everywhere"),
            Breakage("void curfew_x(char y);", "y: char is only for pointers and text"),
            Breakage(
                "void curfew_x(curfew_error y);", "y: curfew_error by value could never grow"),
            Breakage(
                "void curfew_x(void (*y)(void));", "y: name the callback's type by a typedef"),
        ])
    func shapes(breakage: Breakage) throws {
        let findings = try findings(of: breakage) {
            ContractRules.shapes(try $0.declarations())
        }
        #expect(findings == [breakage.finding])
    }

    @Test(
        "forms",
        arguments: [
            Breakage(
                "static inline int32_t curfew_x(void) { return 0; }",
                "curfew_x: COMPOUND_STMT is no plain declaration"),
            Breakage(
                "_Static_assert(1, \"curfew\");", ": STATIC_ASSERT is no plain declaration"),
            Breakage(
                "extern int32_t curfew_x;", "curfew_x: VAR_DECL is no plain declaration"),
            Breakage(
                "union curfew_x { int32_t y; };", "curfew_x: UNION_DECL is no plain declaration"),
            Breakage("void curfew_x(int32_t);", "curfew_x: a parameter has no name"),
            Breakage(
                "void curfew_x(void) __attribute__((cold));",
                "curfew_x: UNEXPOSED_ATTR is no plain declaration"),
        ])
    func forms(breakage: Breakage) throws {
        let findings = try findings(of: breakage) {
            ContractRules.forms(try $0.declarations())
        }
        #expect(findings == [breakage.finding])
    }

    @Test("a declaration that no compiler understands")
    func nonsense() throws {
        #expect(throws: Tool.Failure.self) {
            try Headers.own.adding("curfew_missing curfew_x(void);").declarations()
        }
    }

    @Test(
        "names",
        arguments: [
            Breakage("void x(void);", "x has no prefix curfew_ or CURFEW_"),
            Breakage("typedef int32_t x;", "x has no prefix curfew_ or CURFEW_"),
            Breakage(
                "typedef struct x { int32_t y; } curfew_x;", "x has no prefix curfew_ or CURFEW_"),
            Breakage("enum { CURFEW_X, Y };", "Y has no prefix curfew_ or CURFEW_"),
            Breakage("# define X 1", "the macro X has no prefix CURFEW_"),
        ])
    func names(breakage: Breakage) throws {
        let findings = try findings(of: breakage) {
            ContractRules.names(try $0.declarations(), macros: try $0.macros())
        }
        #expect(findings == [breakage.finding])
    }

    @Test(
        "documentation",
        arguments: [
            Breakage("void curfew_x(void);", "curfew_x has no comment right before it"),
            Breakage("/* X. */\n\nvoid curfew_x(void);", "curfew_x has no comment right before it"),
            Breakage("typedef void (*curfew_x)(void);", "curfew_x has no comment right before it"),
            Breakage(
                "struct curfew_x {\n    int32_t y; /* Y. */\n    void (*z)(void);\n};",
                "z has no comment right before it"),
        ])
    func documentation(breakage: Breakage) throws {
        let findings = try findings(of: breakage) {
            ContractRules.documentation(try $0.declarations())
        }
        #expect(findings == [breakage.finding])
    }

    @Test(
        "statuses",
        arguments: [
            ("X(PENDING, 1, ", "X(PENDING, 0, ", ["PENDING is 0 and should be 1"]),
            ("X(FAILED, 22, ", "X(FAILED, 23, ", ["FAILED is 23 and should be 22"]),
            ("X(OK, 0, \"done\")", "X(OK, 0, \"\")", ["OK has no text"]),
            ("\"the name is taken\"", "\"done\"", ["EXISTS has the text of OK"]),
        ])
    func statuses(old: String, new: String, findings: [String]) throws {
        let headers = try Headers.own.replacing(old, with: new)
        let rows = try headers.statuses()
        #expect(ContractRules.statuses(rows) == findings)
    }

    @Test("a header that does not compile alone", arguments: Dialect.all)
    func compilers(dialect: Dialect) throws {
        let headers = try Headers.own.adding("curfew_missing curfew_x(void);")
        let complaints = try dialect.complaints(
            about: "#include <curfew/curfew.h>\n", headers, flags: ["-c"])
        #expect(complaints.contains(/error: .*curfew_missing/))
    }

    @Test("a header that curfew.h does not include")
    func umbrella() throws {
        let headers = try Headers.own.replacing(
            "#include \"ext/thread-check.h\"", with: "")
        let missed = try headers.namesMissedByUmbrella()
        #expect(missed == ["curfew/ext/thread-check.h"])
    }

    @Test("a changed layout")
    func layout() throws {
        let headers = try Headers.own.replacing(
            "char message[1016]", with: "char message[1024]")
        let changes = LayoutTable.changes(
            from: try Headers.own.layout(), to: try headers.layout())
        #expect(changes.contains("\n- curfew_error 1024 message 8 1016\n"))
        #expect(changes.contains("\n+ curfew_error 1032 message 8 1024\n"))
        #expect(changes.contains("\nCURFEW_UPDATE_LAYOUT=1 "))
    }

    @Test("a structure that is new")
    func newStructure() throws {
        let headers = try Headers.own.adding("struct curfew_x { uint32_t struct_size; };")
        let changes = LayoutTable.changes(
            from: try Headers.own.layout(), to: try headers.layout())
        #expect(changes.contains("\n+ curfew_x 4 struct_size 0 4\n"))
    }

    @Test("nullability that Swift does not see")
    func swift() throws {
        let headers = try Headers.own.replacing(
            "#define CURFEW_NULLABLE _Nullable", with: "#define CURFEW_NULLABLE")
        let complaints = try Reader.swiftComplaints(headers)
        #expect(complaints.contains("cannot assign value of type"))
    }

    @Test("declarations that cffi and LuaJIT refuse")
    func foreignReaders() throws {
        let headers = try Headers.own.adding("_Static_assert(1, \"curfew\");")
        let text = try headers.preprocessedOwnText()
        #expect(text.contains("_Static_assert"))
        let scripts = BuiltProducts.packageRoot + "/Tests/HeaderTests/Readers"
        let cffi = try Tool.cffi.get().run(["\(scripts)/cffi_layout.py"], input: text)
        #expect(cffi.errorOutput.contains("CDefError"))
        let luajit = try Tool.luajit.run(["\(scripts)/luajit_layout.lua"], input: text)
        #expect(luajit.errorOutput.contains("_Static_assert"))
    }

    @Test("a function that bindgen skips")
    func bindgen() throws {
        // To C++ and to clang's readers it is another name than the one gcc sees.
        let headers = try Headers.own.replacing(
            "curfew_status curfew_host_launch(",
            with: """
                #if defined(__clang__)
                #define curfew_host_launch curfew_host_launched
                #endif
                curfew_status curfew_host_launch(
                """)
        let missed = try Reader.functionsMissedByBindgen(headers, preprocessed: false)
        #expect(missed == ["curfew_host_launch"])
    }

    /// What a rule finds more than in the package's own headers, without the place.
    private func findings(
        of breakage: Breakage, rule: (Headers) throws -> [String]
    ) throws -> [String] {
        let known = Set(try rule(.own))
        return try rule(try Headers.own.adding(breakage.declaration))
            .filter { !known.contains($0) }
            .map { String($0.trimmingPrefix(#/curfew/[^:]+:\d+: /#)) }
    }
}
