// SPDX-License-Identifier: Apache-2.0
import Glibc

extension HostConfiguration.Workers {
    /// The number of cores, but at least 4: some handlers wait more than they compute.
    package static var defaultCount: Int {
        max(4, min(256, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    }
}
