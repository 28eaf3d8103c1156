// SPDX-License-Identifier: Apache-2.0
import TestSupport

/// A value that closures on any thread may change.
typealias Box = Guarded
