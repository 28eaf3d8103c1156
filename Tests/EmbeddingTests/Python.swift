// SPDX-License-Identifier: Apache-2.0
import TestSupport

/// A Python that has cffi and pytest, Debian's or the first one in PATH, and finds the installed module.
struct Python {
    let program: String
    let environment: [String: String]

    init(_ installation: Installation) throws {
        let names = ["/usr/bin/python3", "python3"]
        let found = names.first {
            (try? ChildProcess.run($0, ["-c", "import cffi, pytest"]))?.succeeded == true
        }
        guard let found else {
            throw TestFault(text: "install cffi and pytest: make test-packages")
        }
        program = found
        environment = [
            "PYTHONPATH": installation.path("share/curfew/python"), "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONWARNINGS": "error",
        ]
    }
}
