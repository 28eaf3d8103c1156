// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Child processes of tests")
struct ChildProcessTests {
    @Test("arguments, environment, standard input and directory arrive; output and status return")
    func everything() throws {
        let directory = try TemporaryDirectory()
        let process = try ChildProcess.run(
            "/bin/sh", ["-c", "cat; echo \"$1 $NAME $PWD\"; echo no >&2; exit 3", "sh", "a b"],
            environment: ["NAME": "value", "PATH": "/usr/bin:/bin"], input: "text\n",
            directory: directory.path)
        #expect(process.ending == .exited(3))
        #expect(process.output == "text\na b value \(directory.path)\n")
        #expect(process.errorOutput == "no\n")
        #expect(!process.succeeded)
    }

    @Test("output larger than any pipe does not block")
    func largeOutput() throws {
        let input = [UInt8](repeating: 0x61, count: 3_000_000)
        let process = try ChildProcess.run(
            "/bin/sh", ["-c", "tee /dev/stderr"], input: input)
        #expect(process.succeeded)
        #expect(process.outputBytes == input)
        #expect(process.errorBytes == input)
    }

    @Test("a signal is told")
    func signal() throws {
        let process = try ChildProcess.run("/bin/sh", ["-c", "kill -TERM $$"])
        #expect(process.ending == .signalled(SIGTERM))
    }

    @Test("when the time is up the whole process group is killed")
    func limit() throws {
        let directory = try TemporaryDirectory()
        let fifo = directory.path("fifo")
        try #require(mkfifo(fifo, 0o600) == 0)
        let reader = open(fifo, O_RDONLY | O_NONBLOCK)
        try #require(reader >= 0)
        defer { close(reader) }

        // Parent and child both hold the fifo open: it hangs up when the last of them is gone.
        let process = try ChildProcess.run(
            "/bin/sh", ["-c", "exec 3>\"$1\"; echo started >&3; sleep 600 & wait", "sh", fifo],
            limit: .milliseconds(500))
        #expect(process.ending == .timedOut)
        var text = [UInt8](repeating: 0, count: 64)
        #expect(read(reader, &text, text.count) == "started\n".utf8.count)
        var hangUp = pollfd(fd: reader, events: 0, revents: 0)
        #expect(poll(&hangUp, 1, 10_000) == 1)
        #expect(hangUp.revents & Int16(POLLHUP) != 0)
    }

    @Test("a program that is not there is an error with its name")
    func missing() {
        let error = #expect(throws: ChildProcessError.self) {
            try ChildProcess.run("curfew-no-such-program")
        }
        #expect(error?.code == ENOENT)
        #expect(error?.description.contains("curfew-no-such-program") == true)
    }

    @Test("a temporary directory goes with its last reference")
    func temporaryDirectory() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let file = try #require(try directory?.write("text", to: "deep/er/file"))
        #expect(try directory?.read("deep/er/file") == Array("text".utf8))
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("the package and its products are found")
    func products() {
        let manifest = BuiltProducts.packageRoot + "/Package.swift"
        #expect(FileManager.default.fileExists(atPath: manifest))
        let command = BuiltProducts.path(ofProduct: "curfew")
        #expect(FileManager.default.isExecutableFile(atPath: command))
    }
}
