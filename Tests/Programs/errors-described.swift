// SPDX-License-Identifier: Apache-2.0
// Manner: a helper that turns an error of the scheduler's into words for a log: `as?` and a switch over
// its code with `@unknown default`, `(error as NSError)` with domain and code, raw values.
// Swift 6: yes
// Prints: code: not permitted
// Prints: Code=3 of BGTaskSchedulerErrorDomain
// Prints: Error Domain=BGTaskSchedulerErrorDomain Code=3
// Prints: by its raw value: notPermitted
// Prints: no such code: true
// Prints: user info: Unrecognized Identifier
// Prints: other: none of the scheduler's
// Prints: all: unavailable too many pending not permitted not eligible
import BackgroundTasks

extension BGTaskScheduler.Error.Code {
    var words: String {
        switch self {
        case .unavailable: return "unavailable"
        case .tooManyPendingTaskRequests: return "too many pending"
        case .notPermitted: return "not permitted"
        case .immediateRunIneligible: return "not eligible"
        @unknown default: return "unknown (\(rawValue))"
        }
    }
}

struct ErrorReport {
    let error: Error

    var words: String {
        guard let error = error as? BGTaskScheduler.Error else { return "none of the scheduler's" }
        switch error.code {
        case .notPermitted:
            return "not permitted"
        case .tooManyPendingTaskRequests:
            return "too many"
        case .unavailable:
            return "unavailable"
        @unknown default:
            return "new"
        }
    }

    var console: String {
        let error = error as NSError
        return "Code=\(error.code) of \(error.domain)"
    }
}

do {
    try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "com.example.nowhere"))
    print("submitted")
} catch {
    print("code: \(ErrorReport(error: error).words)")
    print(ErrorReport(error: error).console)
    print("\(error)".prefix(46))
    let failure = error as NSError
    if failure.domain == BGTaskScheduler.errorDomain,
        let code = BGTaskScheduler.Error.Code(rawValue: failure.code)
    {
        print("by its raw value: \(code)")
    }
    if failure.code == BGTaskScheduler.Error.notPermitted.rawValue {
        let text = failure.userInfo[NSLocalizedDescriptionKey] as? String ?? ""
        print("no such code: \(BGTaskScheduler.Error.Code(rawValue: 99) == nil)")
        print("user info: \(text.prefix(23))")
    }
}
print("other: \(ErrorReport(error: URLError(.timedOut)).words)")
let all = (1...4).compactMap { BGTaskScheduler.Error.Code(rawValue: $0)?.words }
print("all: \(all.joined(separator: " "))")
exit(0)
