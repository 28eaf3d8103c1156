// SPDX-License-Identifier: Apache-2.0

extension UInt64 {
    /// A second in nanoseconds.
    package static var second: UInt64 { 1_000_000_000 }
    package static var millisecond: UInt64 { 1_000_000 }
}
