// SPDX-License-Identifier: Apache-2.0

// As Apple's SwiftUI, it brings Foundation and UIKit along.
@_exported public import Foundation
@_exported public import UIKitBackground
