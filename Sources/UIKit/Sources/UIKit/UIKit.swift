// SPDX-License-Identifier: Apache-2.0

// UIApplication's part in background work, by the name that unchanged code imports.
@_exported import UIKitBackground
