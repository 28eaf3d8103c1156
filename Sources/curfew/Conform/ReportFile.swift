// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A file with the results of the kit, in one of the forms that other programs read.
struct ReportFile {
    /// Each form, with the option that names its file.
    static let forms: [(option: CommandOption, text: @Sendable ([ConformReport]) -> String)] = [
        (ConformCommand.junitOption, JUnitReport.text), (ConformCommand.tapOption, TAPReport.text),
        (ConformCommand.sarifOption, SARIFReport.text), (ConformCommand.badgeOption, Badge.text),
    ]

    let option: CommandOption
    let path: String
    let text: @Sendable ([ConformReport]) -> String

    /// Those that a command line asks for.
    static func asked(_ arguments: Arguments) throws(CommandError) -> [ReportFile] {
        var files: [ReportFile] = []
        for form in forms {
            guard let path = arguments.value(form.option) else { continue }
            guard path != "-" else {
                throw CommandError(
                    .usage, "`--\(form.option.name)` writes to a file, and `-` is none",
                    help: [
                        "write `--\(form.option.name) FILE`, or `./-` for a file of that name"
                    ])
            }
            files.append(ReportFile(option: form.option, path: path, text: form.text))
        }
        return files
    }

    func write(_ reports: [ConformReport]) throws(CommandError) {
        var text = text(reports)
        let failed = text.withUTF8 { bytes -> Int32 in
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
            guard file >= 0 else { return errno }
            var rest = UnsafeRawBufferPointer(bytes)
            var failure: Int32 = 0
            while !rest.isEmpty, failure == 0 {
                let count = Glibc.write(file, rest.baseAddress, rest.count)
                if count > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } else if errno != EINTR {
                    failure = errno
                }
            }
            return close(file) == 0 ? failure : errno
        }
        guard failed == 0 else {
            throw CommandError(
                .faults,
                "the report \(Shown.line(path)) cannot be written: \(String(cString: strerror(failed)))",
                notes: ["the cases were run; their results are above"],
                help: ["write `--\(option.name) FILE` with a file in an existing directory"])
        }
    }
}
