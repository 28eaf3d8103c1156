// SPDX-License-Identifier: Apache-2.0

/// A task that refreshes what the app shows: 30 s.
open class BGAppRefreshTask: BGTask, @unchecked Sendable {}
