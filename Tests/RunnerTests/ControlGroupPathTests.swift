// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Runner

@Suite("Where the control group of a process is")
struct ControlGroupPathTests {
    /// Lines of mountinfo as kernels write them, with several file systems around.
    private static func mounts(_ root: String, _ place: String) -> String {
        """
        22 28 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw
        31 22 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
        41 31 0:38 \(root) \(place) rw,relatime shared:9 master:1 - cgroup2 cgroup2 rw,nsdelegate
        43 28 0:40 / /tmp rw - tmpfs tmpfs rw

        """
    }

    private static func path(
        _ group: String, root: String = "/", at place: String = "/sys/fs/cgroup"
    ) -> ControlGroupPath? {
        ControlGroupPath(
            groups: "5:memory:/elsewhere\n0::\(group)\n", mounts: mounts(root, place))
    }

    @Test("it is below the place of the mount, and has one above it up to there")
    func below() throws {
        let path = try #require(Self.path("/system.slice/curfew.service"))
        #expect(path.text == "/sys/fs/cgroup/system.slice/curfew.service")
        #expect(path.parent == "/sys/fs/cgroup/system.slice")
        let high = try #require(Self.path("/curfew"))
        #expect(high.parent == "/sys/fs/cgroup")
        let root = try #require(Self.path("/"))
        #expect(root.text == "/sys/fs/cgroup")
        #expect(root.parent == nil)
    }

    @Test("a mount that shows a part of the tree hides what is above")
    func part() throws {
        let path = try #require(Self.path("/box/a/b", root: "/box"))
        #expect(path.text == "/sys/fs/cgroup/a/b")
        #expect(path.parent == "/sys/fs/cgroup/a")
        let top = try #require(Self.path("/box", root: "/box"))
        #expect(top.text == "/sys/fs/cgroup")
        #expect(top.parent == nil)
        #expect(Self.path("/boxes/a", root: "/box") == nil)
        #expect(Self.path("/../other", root: "/box") == nil)
    }

    @Test("a place with spaces is written with octal numbers")
    func escaped() {
        #expect(Self.path("/a", at: "/mnt/control\\040groups")?.text == "/mnt/control groups/a")
        #expect(Self.path("/a", at: "/mnt/back\\134slash\\04")?.text == "/mnt/back\\slash\\04/a")
    }

    @Test("there is none without version 2, and none of a group that was removed")
    func none() {
        #expect(ControlGroupPath(groups: "", mounts: Self.mounts("/", "/a")) == nil)
        #expect(ControlGroupPath(groups: "4:pids:/a\n", mounts: Self.mounts("/", "/a")) == nil)
        let others = "1 2 0:1 / /a rw - tmpfs a rw\n"
        #expect(ControlGroupPath(groups: "0::/a\n", mounts: others) == nil)
        #expect(ControlGroupPath(groups: "0::/a\n", mounts: "cgroup2\n- cgroup2\n") == nil)
        #expect(Self.path("/a (deleted)") == nil)
    }
}
