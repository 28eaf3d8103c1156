// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What a continued request has besides the others, as it stands in the request's payload.
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

    /// Of what is no such thing, nothing is known.
    init(_ payload: [UInt8]) {
        self =
            (try? JSONDecoder().decode(Self.self, from: Data(payload)))
            ?? ContinuedDetails(
                BGContinuedProcessingTaskRequest(identifier: "", title: "", subtitle: ""))
    }

    /// Of strings and numbers, which can always be written.
    var payload: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }
}
