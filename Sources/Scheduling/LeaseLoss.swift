// SPDX-License-Identifier: Apache-2.0

/// What a host does with the running tasks of a handler's requests when it loses its lease: it has not reached the
/// server of its store for so long that other hosts will soon launch the requests again.
public enum LeaseLoss: Int32, Sendable, CaseIterable {
    /// They are told to stop, in time before others may launch them.
    case stop = 1
    /// They go on to their end, perhaps beside a task of another host for the same request. Their ends do not count once
    /// another host has taken over.
    case finish = 2
}

extension LeaseLoss: KebabCased {}
