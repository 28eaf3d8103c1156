// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The class that an app and its delegate derive from. There are no events to respond to.
open class UIResponder: NSObject {
    /// Makes a responder. Like Apple's it is not `required`: a subclass writes `override init()`,
    /// or has only initializers of its own.
    public override init() {}
}
