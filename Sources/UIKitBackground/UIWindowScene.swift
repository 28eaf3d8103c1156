// SPDX-License-Identifier: Apache-2.0

/// A scene that has windows on a phone. Here it has none.
open class UIWindowScene: UIScene, @unchecked Sendable {}
