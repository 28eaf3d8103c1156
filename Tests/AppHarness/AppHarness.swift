// SPDX-License-Identifier: Apache-2.0
@preconcurrency import Glibc

/// An app whose whole behaviour is one scenario, named on the command line: it prints what happens, a
/// line each, and leaves with 0 once it is through.
@main
enum AppHarness {
    static func main() {
        setvbuf(stdout, nil, _IOLBF, 0)
        let name = CommandLine.arguments.dropFirst().first ?? ""
        guard let scenario = Scenario.all[name] else {
            print("there is no scenario '\(name)'")
            exit(64)
        }
        scenario(Stage())
        exit(0)
    }
}
