// SPDX-License-Identifier: Apache-2.0
import TestSupport

extension Headers {
    /// One line for each member of each structure: structure, its size, member, offset, size.
    ///
    /// The list comes from the headers, the numbers from a program that `compiler` makes of it.
    func layout(compiler: Tool = .gcc) throws -> [String] {
        let rows = try declarations().filter { $0.kind == .structure }.flatMap { structure in
            structure.members.map { member in
                """
                    printf("%s %zu %s %zu %zu\\n", "\(structure.name)", sizeof(\(structure.cName)),
                        "\(member.name)", offsetof(\(structure.cName), \(member.name)),
                        sizeof(((\(structure.cName) *)0)->\(member.name)));

                """
            }
        }
        let program = """
            #include <stddef.h>
            #include <stdio.h>
            \(try includingAll())
            int main(void) {
            \(rows.joined())
                return 0;
            }
            """
        return try output(ofProgram: program, compiler: compiler).split(separator: "\n")
            .map(String.init)
    }

    /// Every row of the map of statuses in `curfew/types.h`, as a program sees it.
    func statuses() throws -> [StatusRow] {
        let program = """
            #include <stdio.h>
            #include <curfew/types.h>
            #define ROW(name, value, text) printf("%s\\t%d\\t%s\\n", #name, CURFEW_##name, text);
            int main(void) {
                CURFEW_STATUS_MAP(ROW)
                return 0;
            }
            """
        return try output(ofProgram: program, compiler: .gcc).split(separator: "\n").map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            return StatusRow(
                name: String(columns[0]), value: Int(columns[1])!, text: String(columns[2]))
        }
    }

    private func output(ofProgram program: String, compiler: Tool) throws -> String {
        let directory = try TemporaryDirectory()
        let source = try directory.write(program, to: "program.c")
        let executable = directory.path("program")
        try compiler.check(["-std=c11", "-I", includeDirectory, source, "-o", executable])
        let process = try ChildProcess.run(executable)
        guard process.succeeded else { throw UnexpectedEnd(process: process) }
        return process.output
    }

    private struct UnexpectedEnd: Error, CustomStringConvertible {
        let process: ChildProcess
        var description: String { "the program made from the headers failed: \(process)" }
    }
}
