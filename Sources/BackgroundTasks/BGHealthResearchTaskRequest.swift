// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A request for processing in a study that the user takes part in.
open class BGHealthResearchTaskRequest: BGProcessingTaskRequest, @unchecked Sendable {
    /// How the data it needs is protected: the raw value of a `FileProtectionType`, as an `NSString`,
    /// which Apple's Swift has here. Kept, and without effect: a Linux machine says with the factor
    /// `first-unlock` whether data can be read.
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
