// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// What a harness is started inside of: file systems of its own, other clocks.
enum Surrounding {
    /// A file system of its own can be mounted: as root, or where users may make namespaces.
    static let canMount =
        (try? ChildProcess.run("unshare", ["-rm", "true"]))?.succeeded ?? false
    static let cannotMount: Comment = "unshare -rm is refused: run the tests as root"

    /// Words that run what follows them in a mount namespace, after `script`, in which `$0` is
    /// `directory` and `"$@"` is what follows.
    static func mounting(_ script: String, at directory: String) -> [String] {
        ["unshare", "-rm", "sh", "-c", script, directory]
    }

    private static let fakeTimePaths = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map {
        "/usr/lib/\($0)/faketime/libfaketimeMT.so.1"
    }
    /// The library that shows a process another time; nil: it is not installed.
    static let fakeTime = fakeTimePaths.first { FileManager.default.fileExists(atPath: $0) }
    static let noFakeTime: Comment = "libfaketime is not installed: make test-packages"

    /// What has to come before a program that is shown another time. The library adds to the
    /// environment of the first program that loads it, and Swift then finds no arguments there.
    static let clockWrapper = ["sh", "-c", "exec \"$@\"", "sh"]

    /// The environment in which the wall's clock shows what stands in a file.
    static func clock(in file: String) -> [String: String] {
        [
            "LD_PRELOAD": fakeTime ?? "", "FAKETIME_TIMESTAMP_FILE": file,
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1", "TZ": "Europe/Berlin",
        ]
    }
}
