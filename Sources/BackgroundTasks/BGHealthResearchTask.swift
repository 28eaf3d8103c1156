// SPDX-License-Identifier: Apache-2.0

/// A processing task of a study that the user takes part in.
open class BGHealthResearchTask: BGProcessingTask, @unchecked Sendable {}
