// SPDX-License-Identifier: Apache-2.0

// The values that hosts and plugins share: all that imports Scheduling works with them.
@_exported public import CurfewValues
