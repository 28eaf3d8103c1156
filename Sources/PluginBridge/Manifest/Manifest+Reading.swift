// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension Manifest {
    /// Reads and checks the manifest in a plugin's directory, and checks that its library exists.
    /// Loads nothing.
    ///
    /// Both files must be regular files of that directory itself: a link could lead out of it.
    package static func read(directory: String) -> Result<Manifest, ManifestFaults> {
        let base = directory.utf8.last == UInt8(ascii: "/") ? directory : directory + "/"
        let source = DiagnosticSource(file: base + fileName, bytes: [])
        guard !directory.isEmpty, !directory.utf8.contains(0) else {
            return .failure(
                fault(
                    source, "the path of the plugin's directory is empty or has a zero byte in it"))
        }
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            return .failure(fault(source, "cannot open the plugin's directory: \(reason(errno))"))
        }
        defer { close(folder) }
        switch contents(of: folder) {
        case .failure(let problem): return .failure(fault(source, problem.text))
        case .success(let bytes):
            return parse(DiagnosticSource(file: source.file, bytes: bytes)) {
                libraryProblem($0, in: folder)
            }
        }
    }

    private struct Problem: Error {
        let text: String
    }

    private static func contents(of folder: Int32) -> Result<[UInt8], Problem> {
        let file = openat(folder, fileName, RegularFile.flags | O_NOFOLLOW)
        guard file >= 0 else {
            return .failure(
                Problem(
                    text: errno == ELOOP
                        ? "the manifest is a symbolic link" : "cannot open it: \(reason(errno))"))
        }
        defer { close(file) }
        do throws(RegularFile.Problem) {
            return .success(try RegularFile.contents(of: file, limit: JSONReader.sizeLimit))
        } catch {
            return .failure(
                Problem(text: error.isOfAnotherKind ? "the manifest \(error.text)" : error.text))
        }
    }

    private static func libraryProblem(
        _ library: String, in folder: Int32
    ) -> (message: String, help: String)? {
        let message: String
        let help: String
        var status = stat()
        if fstatat(folder, library, &status, AT_SYMLINK_NOFOLLOW) != 0 {
            message = "cannot find \(DiagnosticText.quoted(library)): \(reason(errno))"
            help = "build the library into the directory of the manifest, or mend its name"
        } else if status.st_mode & S_IFMT == S_IFLNK {
            message = "\(DiagnosticText.quoted(library)) is a symbolic link"
            help = "put the file itself beside the manifest"
        } else if status.st_mode & S_IFMT != S_IFREG {
            message = "\(DiagnosticText.quoted(library)) is not a regular file"
            help = "build the library into the directory of the manifest, or mend its name"
        } else {
            return nil
        }
        return (message, help)
    }

    private static func fault(_ source: DiagnosticSource, _ message: String) -> ManifestFaults {
        ManifestFaults([
            source.diagnostic(
                rule: ManifestRule.file.rawValue, message: message,
                help: "give the directory of a plugin, with a readable file \(fileName) in it")
        ])
    }

    private static func reason(_ code: Int32) -> String { RegularFile.reason(code) }
}
