// SPDX-License-Identifier: Apache-2.0
public import Runner

extension HostConfiguration {
    /// The time from the end of the grace until the host gives up the worker of a task.
    public var lostWorkerDelay: Duration {
        get { Duration(inNanoseconds: lostAfter) }
        set { lostAfter = newValue.inNanoseconds }
    }
}
