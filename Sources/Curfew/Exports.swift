// SPDX-License-Identifier: Apache-2.0

// Hosts and plugins share these values.
@_exported public import CurfewValues

// The public API uses these types of the layers below; no other type of them is public.
@_exported public import struct PluginBridge.Status
@_exported public import struct Runner.HostConfiguration
@_exported public import struct Runner.HostCounts
@_exported public import struct Runner.HostEvent
@_exported public import class Runner.ManualClock
@_exported public import struct Runner.RequestConfiguration
@_exported public import struct Scheduling.Attempt
@_exported public import struct Scheduling.DayLimits
@_exported public import enum Scheduling.Factor
@_exported public import struct Scheduling.FactorReport
@_exported public import enum Scheduling.FactorState
@_exported public import enum Scheduling.HandlerEnablement
@_exported public import enum Scheduling.HandlerScope
@_exported public import enum Scheduling.Isolation
@_exported public import struct Scheduling.JournalEntry
@_exported public import enum Scheduling.LeaseLoss
@_exported public import struct Scheduling.MachineThresholds
@_exported public import enum Scheduling.Outcome
@_exported public import struct Scheduling.PressureLimit
@_exported public import enum Scheduling.RefreshSetting
@_exported public import struct Scheduling.Repetition
@_exported public import struct Scheduling.Request
@_exported public import struct Scheduling.RequestDescription
@_exported public import struct Scheduling.RequestID
@_exported public import struct Scheduling.RequestNeeds
@_exported public import enum Scheduling.RequestPriority
@_exported public import enum Scheduling.RequestState
@_exported public import struct Scheduling.RetryPolicy
@_exported public import enum Scheduling.Submission
@_exported public import enum Scheduling.TaskPhase
@_exported public import enum Scheduling.TrustPolicy
