// SPDX-License-Identifier: Apache-2.0
import AppHost
public import Foundation

/// Calls `init()` of a class that is known at run time only, as the Objective-C runtime does for
/// UIKit.
///
/// Swift calls `init()` on a metatype only where it is `required`, and `NSObject`'s is not; a protocol
/// that asks for it would make every delegate write `required`. The call itself needs no such promise:
/// each class has an entry for `init()` at `NSObject`'s place in its table of methods, inherited,
/// overridden, or, where it has no `init()`, one that stops the process with the name of the class. This
/// class only declares that entry as required, so that the compiler makes the call. It is open, so that
/// the compiler has to take it from the table.
open class _RuntimeInstance: NSObject {
    /// Stands at the place of `NSObject`'s.
    public required override init() {}

    /// Returns a new instance of a class, which has to derive from `NSObject`. Never inlined: a caller
    /// would see an instance of this class, and could take a cast to the other one for impossible.
    @inline(never)
    package static func make(_ type: AnyClass) -> NSObject {
        guard let type = type as? NSObject.Type else {
            AppHost.stop(
                "\(type) cannot be a delegate, since it does not derive from NSObject; derive it from UIResponder\n"
            )
        }
        return unsafeBitCast(type, to: _RuntimeInstance.Type.self).init()
    }
}
