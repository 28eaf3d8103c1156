// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import Foundation

/// From Apple's requests to the host's, and back.
extension AppRequest {
    init(_ request: BGTaskRequest) {
        self.init(request.identifier, kind: Int32(CURFEW_KIND_APP_REFRESH))
        switch request {
        case let request as BGContinuedProcessingTaskRequest:
            kind = Int32(CURFEW_KIND_CONTINUED_PROCESSING)
            payload = ContinuedDetails(request).payload
            // Its date is ignored, as Apple says.
            return
        case let request as BGProcessingTaskRequest:
            let isResearch = request is BGHealthResearchTaskRequest
            kind = Int32(isResearch ? CURFEW_KIND_HEALTH_RESEARCH : CURFEW_KIND_PROCESSING)
            needsNetwork = request.requiresNetworkConnectivity
            needsPower = request.requiresExternalPower
        default: break
        }
        earliest = request.earliestBeginDate.map(Self.nanoseconds) ?? 0
    }

    private static let perSecond = 1_000_000_000.0

    /// The last date of a request: the year 2200, in seconds since 1970.
    private static let lastDate = 7_258_118_400.0

    /// Nanoseconds since 1970. What is in the past means at once, and `Date.distantFuture` as late as
    /// can be.
    private static func nanoseconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970
        guard seconds > 0 else { return 0 }
        return Int64(min(seconds, lastDate - 1) * perSecond)
    }

    var asTaskRequest: BGTaskRequest {
        let request: BGTaskRequest
        switch kind {
        case Int32(CURFEW_KIND_APP_REFRESH):
            request = BGAppRefreshTaskRequest(identifier: identifier)
        case Int32(CURFEW_KIND_CONTINUED_PROCESSING): return continued
        case Int32(CURFEW_KIND_HEALTH_RESEARCH):
            request = filled(BGHealthResearchTaskRequest(identifier: identifier))
        default: request = filled(BGProcessingTaskRequest(identifier: identifier))
        }
        if earliest > 0 {
            request.earliestBeginDate = Date(
                timeIntervalSince1970: Double(earliest) / Self.perSecond)
        }
        return request
    }

    private func filled(_ request: BGProcessingTaskRequest) -> BGProcessingTaskRequest {
        request.requiresNetworkConnectivity = needsNetwork
        request.requiresExternalPower = needsPower
        return request
    }

    private var continued: BGTaskRequest {
        let details = ContinuedDetails(payload)
        let request = BGContinuedProcessingTaskRequest(
            identifier: identifier, title: details.title, subtitle: details.subtitle)
        request.strategy = .init(rawValue: details.strategy) ?? .queue
        request.requiredResources = .init(rawValue: details.resources)
        return request
    }
}
