// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import Glibc
import PluginBridge
import Scheduling

/// Runs a plugin in this process, which is its own and sandboxed. Never returns.
@c(curfew_child_run)
func childRun(_ start: UnsafePointer<csys_child_start_info>) {
    _exit(70)
}
