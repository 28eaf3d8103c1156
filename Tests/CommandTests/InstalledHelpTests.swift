// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("The manual and the completions that make install leaves behind")
struct InstalledHelpTests {
    private static func installed(_ path: String) throws -> String {
        try String(contentsOfFile: "\(BuiltProducts.prefix)/\(path)", encoding: .utf8)
    }

    @Test("are those that the installed program writes")
    func current() throws {
        let program = BuiltProducts.prefix + "/bin/curfew"
        for (shell, path) in [
            ("bash", "share/bash-completion/completions/curfew"),
            ("zsh", "share/zsh/site-functions/_curfew"),
            ("fish", "share/fish/vendor_completions.d/curfew.fish"),
        ] {
            let run = try ChildProcess.run(program, ["completions", shell])
            #expect(run.succeeded)
            #expect(try Self.installed(path) == run.output)
        }
        let names = try CommandFaces.commands()
        for name in names {
            let run = try ChildProcess.run(program, ["man", name])
            #expect(try Self.installed("share/man/man1/curfew-\(name).1") == run.output)
        }
        let pages = try FileManager.default.contentsOfDirectory(
            atPath: BuiltProducts.prefix + "/share/man/man1")
        #expect(pages.count == names.count + 1)
    }

    @Test("man finds a page by its name")
    func found() throws {
        let run = try ChildProcess.run(
            "man", ["-M", BuiltProducts.prefix + "/share/man", "curfew-run"],
            environment: CommandRun.environment)
        #expect(run.succeeded, "\(run)")
        #expect(run.output.contains("run one task now"))
    }

    @Test("zsh loads its script as a function of its own")
    func zsh() throws {
        let script = """
            fpath=(\(BuiltProducts.prefix)/share/zsh/site-functions $fpath)
            autoload -Uz compinit; compinit -D -u
            print -r -- $_comps[curfew]
            """
        let run = try ChildProcess.run(
            "zsh", ["-f", "-c", script], environment: CommandRun.environment)
        #expect(run.output == "_curfew\n", "\(run)")
    }
}
