// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// A file system of the kernel's on a loop device, whose power can fail: what is in the device's file
/// has reached the device, and what is only in the page cache has not.
///
/// The journal of the file system is written by fsync(2) alone, not every five seconds as usual.
struct BlockDevice {
    /// Loop devices can be mounted here: only as root, and hardly ever in a container.
    static let canMount: Bool = {
        guard let directory = try? TemporaryDirectory() else { return false }
        let script = """
            truncate -s 8M "$0/image" && mkfs.ext4 -q -F "$0/image" && mkdir "$0/mount" \
                && mount -o loop "$0/image" "$0/mount" && fstrim "$0/mount"
            """
        let words = ["-m", "sh", "-c", script, directory.path]
        return (try? ChildProcess.run("unshare", words))?.succeeded ?? false
    }()
    static let cannotMount: Comment = "a loop device with ext4 wants root and mkfs.ext4"

    private let directory: TemporaryDirectory
    /// Where the store is, for whoever is inside.
    var store: String { directory.path("mount/store") }
    /// What lies beside the device's file and leaves no room for it; for whoever is inside.
    var ballast: String { directory.path("pool/ballast") }

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["pool", "mount", "left"] {
            try FileManager.default.createDirectory(
                atPath: directory.path(name), withIntermediateDirectories: false)
        }
    }

    /// Words that come before a program which is to see the device; `script` is done first, then what
    /// follows as `"$@"`.
    ///
    /// The device has a block for what is in the file system now, and takes another one from a pool
    /// when it is written to first, as a thinly provisioned volume does. It is written to block by
    /// block: of several at once of which only the first find room, Linux 6.18 says that all did. The
    /// files are made so that the file system's journal has all its blocks. The device goes when it is
    /// mounted nowhere.
    func wrapper(_ script: String = "exec \"$@\"") -> [String] {
        let mounting = """
            set -e
            mount -t tmpfs -o size=40m none "$0/pool"
            dd if=/dev/zero of="$0/pool/image" bs=1M count=36 status=none
            mkfs.ext4 -q -F -b 4096 -J size=4 -E nodiscard "$0/pool/image"
            device=$(losetup -f --show "$0/pool/image")
            echo 4 >"/sys/block/${device#/dev/}/queue/max_sectors_kb"
            mount -o commit=600 "$device" "$0/mount"
            losetup -d "$device"
            turn=0
            while [ $turn -lt 300 ]; do
                turn=$((turn + 1))
                echo $turn >"$0/mount/turn"
                sync "$0/mount/turn"
                rm "$0/mount/turn"
                sync "$0/mount"
            done
            sync -f "$0/mount"
            fstrim "$0/mount"

            """
        return ["unshare", "-m", "sh", "-c", mounting + script, directory.path]
    }

    /// All that is in the store once the power fails now; `process` is inside.
    func contents(from process: pid_t) throws -> StoreContents {
        let script = """
            set -e
            cp --sparse=always "/proc/$1/root$0/pool/image" "$0/image"
            mount -o loop "$0/image" "$0/left"
            rm -rf "$0/kept"
            cp -a "$0/left/store" "$0/kept"
            """
        let copied = try ChildProcess.run(
            "unshare", ["-m", "sh", "-c", script, directory.path, "\(process)"])
        try #require(copied.succeeded, "\(copied)")
        return try StoreContents(of: directory.path("kept"))
    }
}
