// SPDX-License-Identifier: Apache-2.0

/// A CURFEW_TAG: who may call, and when.
struct Tag: Hashable {
    let thread: String
    let state: String
}
