// SPDX-License-Identifier: Apache-2.0

/// One row of CURFEW_STATUS_MAP.
struct StatusRow: Equatable {
    let name: String
    let value: Int
    let text: String
}
