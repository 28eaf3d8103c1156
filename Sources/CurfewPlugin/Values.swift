// SPDX-License-Identifier: Apache-2.0

// The values that plugins share with hosts are part of this API.
@_exported public import CurfewValues
