// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge

/// Runs a plugin in this process, which is its own and sandboxed. Never returns.
@c(curfew_child_run)
func childRun(_ start: UnsafePointer<csys_child_start_info>) {
    _exit(run(start.pointee).rawValue)
}

/// The exit statuses of a process that cannot run its plugin.
private enum ChildFailure: Int32 {
    case manifest = 71
    case channel = 72
    case threads = 73
}

/// Returns only if the plugin cannot be run at all.
private func run(_ start: csys_child_start_info) -> ChildFailure {
    var channel = csys_channel()
    guard csys_channel_open(&channel, start.down, start.up) == 0,
        let memory = ChannelMemory(mapped: channel)
    else { return .channel }
    csys_last_words_take(memory.lastWords)
    guard let process = ChildProcess(memory, library: start.library) else { return .manifest }
    guard process.start() else { return .threads }
    csys_wait_for_ever()
}
