// SPDX-License-Identifier: Apache-2.0

// Hosts and plugins share these values; all modules that import Scheduling use them.
@_exported public import CurfewValues
