// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge

/// Runs most of the code of a start, for a plugin without a library.
///
/// Swift's runtime builds the metadata of generic types, and looks up conformances, on first use. Processes
/// that are forked later inherit both, which halves their private memory. In a spare it also maps the pages
/// that its start uses. Both together save a millisecond of each start. Starts no thread.
@c(curfew_child_prepare)
func childPrepare() {
    let manifest = """
        {
          "id": "org.curfew.none", "version": "1.0.0", "abi": 0, "library": "none.so",
          "handlers": [
            {
              "identifier": "org.curfew.none", "kind": "processing", "budget": "5min", "grace": "5s",
              "maxConcurrency": 2, "requires": ["network"], "event": "none",
              "events": [{"name": "none_page", "parameters": ["text", "int64", "double", "bool"]}],
              "examples": [{"name": "a file", "payload": "none", "files": {"a": "1"}}]
            }
          ]
        }
        """
    var writer = ChannelWriter()
    ChannelHello(manifest: Array(manifest.utf8), path: "/none.so", shown: "none.so", allowed: nil)
        .write(to: &writer)
    let layout = ChannelLayout(handlers: 1, arenaBytes: 1 << 22)
    var ours = csys_channel()
    guard csys_channel_make(&ours, layout.downBytes, layout.upBytes, layout.sharedBytes) == 0
    else { return }
    defer {
        csys_channel_close_files(&ours)
        csys_channel_unmap(&ours)
    }
    let host = ChannelMemory(layout, mapped: ours, plugin: 0, resultLimit: 0)
    writer.bytes.withUnsafeBytes {
        (host.down + Int(layout.arenaAt)).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    host.control(0).pointee = ChannelControl(
        .enter, token: 1, at: layout.arenaAt, bytes: UInt64(writer.bytes.count))

    var channel = csys_channel()
    guard csys_channel_open(&channel, ours.down_file, ours.up_file) == 0 else { return }
    (ours.down_file, ours.up_file) = (-1, -1)
    defer { csys_channel_unmap(&channel) }
    guard let memory = ChannelMemory(mapped: channel) else { return }
    let process = ChildProcess(memory, library: -1)
    assert(process != nil, "the manifest of the preparation is faulty")
    process?.rehearse()
}
