// SPDX-License-Identifier: Apache-2.0

// Targets and their subs and waits use these types of the layers below.
@_exported public import enum Runner.EventSender
@_exported public import struct Runner.SenderFilter
@_exported public import struct Runner.TargetEvent
@_exported public import struct Scheduling.TargetCounts
@_exported public import enum Scheduling.TargetKind
