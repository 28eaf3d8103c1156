// SPDX-License-Identifier: Apache-2.0

/// A task that takes minutes. It expires when the machine's user comes back.
open class BGProcessingTask: BGTask, @unchecked Sendable {}
