// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Conformance

@Suite("What C++ exports")
struct ExportsTests {
    /// Uses templates of which the compiler makes instances of every kind: functions, virtual tables,
    /// what is known of types, variables in functions and their guards.
    private static let source = """
        #include <curfew/plugin.h>
        #include <functional>
        #include <future>
        #include <map>
        #include <memory>
        #include <regex>
        #include <sstream>
        #include <string>
        #include <unordered_map>
        #include <vector>

        CURFEW_PLUGIN_NOTE();

        struct Own { std::string name; virtual ~Own() {} };
        template <typename Value> struct Box { Value value; Value take() { return value; } };

        int work(const std::string &text) {
            std::ostringstream out;
            out << text << 1.5;
            std::vector<std::string> all{out.str(), "x"};
            std::map<std::string, std::shared_ptr<Own>> owned{{"a", std::make_shared<Own>()}};
            std::unordered_map<std::string, int> counts{{"a", 1}};
            auto later = std::async(std::launch::deferred, [&] { return (int)all.size(); });
            std::function<int(int)> more = [&](int n) { return n + (int)counts.size(); };
            Box<std::vector<Own>> box{std::vector<Own>(3)};
            return std::regex_match(text, std::regex("a.*b")) + later.get() + more(2)
                + (int)box.take().size() + (int)owned.size();
        }

        CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(
            const curfew_host_api *, curfew_plugin_info *, curfew_error *) {
            return work("ab") > 0 ? CURFEW_OK : CURFEW_FAILED;
        }

        """

    private func looked(
        _ more: String = "", flags: [String] = ["-O0"]
    ) throws -> ConformRun {
        let files = try TemporaryDirectory()
        let root = BuiltProducts.packageRoot
        let manifest = try String(
            contentsOfFile: "\(root)/Tests/Plugins/languages/cpp/manifest.json", encoding: .utf8)
        try files.write(manifest, to: "cpp/manifest.json")
        let built = try ChildProcess.run(
            "g++",
            ["-std=c++17", "-fPIC", "-shared", "-fvisibility=hidden", "-I\(root)/include"] + flags
                + [
                    "-Wl,-z,nodelete", "-o", files.path("cpp/libcpp.so"),
                    try files.write(Self.source + more, to: "plugin.cpp"),
                ])
        try #require(built.succeeded, "\(built)")
        return try ConformRun(files.path("cpp"), only: "exports-minimal")
    }

    @Test(
        "instances of the standard library's templates are not the plugin's",
        arguments: [["-O0"]] + (WholeMatrix.isWanted ? [["-O2"], ["-O2", "-std=c++20"]] : []))
    func instances(flags: [String]) throws {
        let run = try looked(flags: flags)
        #expect(run.status("exports-minimal") == "pass", "\(run.process)")
    }

    @Test("a name of its own is, whatever it is a template of, and the advice keeps it in")
    func own() throws {
        let more = """
            template <typename Value>
            struct __attribute__((visibility("default"))) Shown { Value take() { return 1; } };
            CURFEW_PLUGIN_EXPORT int another(void) { return Shown<long>().take(); }
            """
        let run = try looked(more)
        #expect(run.status("exports-minimal") == "fail")
        #expect(run.text("exports-minimal") == "it exports 2 names besides curfew_plugin_entry")
        #expect(run.cases.first?.notes.contains("exported: _ZN5ShownIlE4takeEv") == true)
        let files = try TemporaryDirectory()
        let script = try files.write("{ global: curfew_plugin_entry; local: *; };", to: "map")
        let mended = try looked(more, flags: ["-Wl,--version-script=\(script)"])
        #expect(mended.status("exports-minimal") == "pass", "\(mended.process)")
    }

    @Test(
        "mangled names are told apart by where they are declared",
        arguments: [
            ("_ZSt4moveIiEvT_", true), ("_ZNSt6vectorIiSaIiEED2Ev", true),
            ("_ZNKSt8functionIFiiEEclEi", true), ("_ZTVSt15_Sp_counted_ptr", true),
            ("_ZTIPKSt9exception", true), ("_ZNSs4_Rep20_S_empty_rep_storageE", true),
            ("_ZGVZNKSt8__detail11_AnyMatcherclEcE5__nul", true),
            ("_ZN9__gnu_cxx16__aligned_membufIiE6_M_ptrEv", true), ("_ZNOSt5valueEv", true),
            ("_ZnwmPv", true), ("_ZdlPvS_", true), ("_Znwm", false), ("_ZdlPv", false),
            ("_Z4workv", false), ("_ZN3own4StepEv", false), ("_ZTV3Own", false), ("St4move", false),
            ("_ZTI3OwnISt6vectorE", false), ("", false), ("_Z", false), ("stdout_of_mine", false),
        ])
    func names(name: String, isOne: Bool) {
        #expect(StandardLibraryName.isOne(name) == isOne)
    }
}
