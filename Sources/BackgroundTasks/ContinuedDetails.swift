// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The additional properties of a continued request, as the request's payload has them.
struct ContinuedDetails: Codable {
    var title: String
    var subtitle: String
    var strategy: Int
    var resources: Int

    init(_ request: BGContinuedProcessingTaskRequest) {
        title = request.title
        subtitle = request.subtitle
        strategy = request.strategy.rawValue
        resources = request.requiredResources.rawValue
    }

    /// A payload without them has default values.
    init(_ payload: [UInt8]) {
        self =
            (try? JSONDecoder().decode(Self.self, from: Data(payload)))
            ?? ContinuedDetails(
                BGContinuedProcessingTaskRequest(identifier: "", title: "", subtitle: ""))
    }

    /// Strings and numbers can always be encoded.
    var payload: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }
}
