// SPDX-License-Identifier: Apache-2.0
import Foundation

extension TimeInterval {
    package var nanoseconds: UInt64 { UInt64(self * 1_000_000_000) }
}
