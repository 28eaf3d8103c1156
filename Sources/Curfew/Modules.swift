// SPDX-License-Identifier: Apache-2.0

// What the members of this module take and return is declared below it: whoever imports Curfew can
// make a configuration, describe a handler and read an event without knowing where.
@_exported public import PluginBridge
@_exported public import Runner
@_exported public import Scheduling
