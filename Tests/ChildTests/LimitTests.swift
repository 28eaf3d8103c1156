// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import TestSupport
import Testing

/// Each limit of a child, on both sides of it.
@Suite("Limits of children")
struct LimitTests {
    @Test("the limits of a plugin are the documented ones")
    func defaults() throws {
        let end = try ChildTrial().run(["facts"])
        #expect(end.answers["data"] == "\(1 << 30)")
        #expect(end.answers["nofile"] == "256")
        #expect(end.answers["fsize"] == "\(1 << 30)")
        #expect(end.answers["core"] == "0")
        #expect(end.answers["memlock"] == "0")
        if end.isInForce(csys_feature_process_limit) { #expect(end.answers["nproc"] == "64") }
    }

    @Test("a program has the limits that it is given, and no others", arguments: [true, false])
    func given(_ isProgram: Bool) throws {
        let trial = try ChildTrial()
        var options = ChildTrial.Options()
        options.isProgram = isProgram
        options.limits = csys_limits(
            memory: 64 << 20, descriptors: 100, processes: 0, file_bytes: 1 << 16)
        let end = try trial.run(
            ["facts", "memory", "\(40 << 20)", "grow", "\(1 << 16)", "open"], options)
        #expect(end.answers["data"] == "\(64 << 20)")
        #expect(end.answers["memory"] == "ok")
        #expect(end.answers["grow"] == "ok")
        #expect(end.answers["open"] == "97")
        let beyond = try trial.run(["memory", "\(65 << 20)", "grow", "\(1 << 16 + 1)"], options)
        #expect(beyond.answers["memory"] == "ENOMEM")
        #expect(beyond.answers["grow"] == "EFBIG")
        guard isProgram else { return }
        options.limits = csys_limits()
        let free = try trial.run(["facts"], options)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        #expect(free.answers["data"] == "\(Int64(bitPattern: UInt64(limit.rlim_cur)))")
        #expect(free.features.asked == 1 << csys_feature_death_signal.rawValue)
    }

    @Test("a limit above the host's own is the host's own")
    func above() throws {
        var options = ChildTrial.Options()
        options.limits = csys_limits(
            memory: .max, descriptors: .max, processes: .max, file_bytes: .max)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let end = try ChildTrial().run(["facts"], options)
        #expect(end.answers["nofile"] == "\(limit.rlim_max)")
        #expect(end.answers["data"] == "-1")
    }

    @Test("a program is confined as far as it is told")
    func confined() throws {
        let trial = try ChildTrial()
        var options = ChildTrial.Options()
        options.isProgram = true
        let free = try trial.run(["sockets", "read", "/etc/shadow", "facts"], options)
        #expect(free.answers["tcp"] == "ok")
        #expect(free.answers["status Seccomp"] == "0")
        options.network = UInt32(csys_network_none)
        options.rules = []
        let bound = try trial.run(["sockets", "read", "/etc/shadow"], options)
        #expect(bound.answers["tcp"] == "EPERM")
        #expect(bound.answers["unix"] == "EPERM")
        #expect(bound.answers["pair"] == "ok")
        #expect(bound.answers["read /etc/shadow"] == "EACCES")
    }
}
