// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A request for processing in a study that the user takes part in.
open class BGHealthResearchTaskRequest: BGProcessingTaskRequest, @unchecked Sendable {
    /// The protection of the required data: the raw value of a `FileProtectionType`, as an
    /// `NSString`, as in Apple's Swift interface. It is stored, and has no effect: on Linux the
    /// factor `first-unlock` says whether data can be read.
    open var protectionTypeOfRequiredData = NSString(
        string: FileProtectionType.completeUntilFirstUserAuthentication.rawValue)

    /// Makes a request for the handler that is registered under an identifier.
    public override init(identifier: String) { super.init(identifier: identifier) }

    override func duplicate() -> BGTaskRequest {
        let copy = filled(BGHealthResearchTaskRequest(identifier: identifier))
        copy.protectionTypeOfRequiredData = protectionTypeOfRequiredData
        return copy
    }
}
