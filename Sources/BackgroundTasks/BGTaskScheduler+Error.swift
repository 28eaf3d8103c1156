// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension BGTaskScheduler {
    /// Why a request was not taken in. `localizedDescription` says more than Apple's: what, where, and
    /// what to do next.
    public struct Error: CustomNSError, CustomStringConvertible, Hashable, @unchecked Sendable {
        // Sendable: the dictionary holds strings.

        /// The kinds of errors.
        public enum Code: Int, Hashable, @unchecked Sendable {
            /// Refreshing in the background is turned off, or there is no place for requests.
            case unavailable = 1
            /// The limit of pending requests of this kind is reached: 1 refresh, 10 processing.
            case tooManyPendingTaskRequests = 2
            /// The `Info.plist` does not permit it: a mode or an identifier is missing.
            case notPermitted = 3
            /// With the strategy `fail`: it cannot begin at once.
            case immediateRunIneligible = 4

            /// So that `catch BGTaskScheduler.Error.notPermitted` matches.
            public static func ~= (code: Code, error: any Swift.Error) -> Bool {
                guard let error = error as? BGTaskScheduler.Error else {
                    let error = error as NSError
                    return error.domain == BGTaskScheduler.errorDomain
                        && error.code == code.rawValue
                }
                return error.code == code
            }
        }

        /// The code of that name.
        public static var unavailable: Code { .unavailable }
        /// The code of that name.
        public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
        /// The code of that name.
        public static var notPermitted: Code { .notPermitted }
        /// The code of that name.
        public static var immediateRunIneligible: Code { .immediateRunIneligible }

        /// Which of them.
        public let code: Code
        /// The `userInfo` of the `NSError`.
        public let userInfo: [String: Any]

        /// Makes an error.
        public init(_ code: Code, userInfo: [String: Any] = [:]) {
            self.code = code
            self.userInfo = userInfo
        }

        init(_ code: Code, _ text: String) {
            self.init(code, userInfo: [NSLocalizedDescriptionKey: text])
        }

        public static var errorDomain: String { BGTaskScheduler.errorDomain }
        public var errorCode: Int { code.rawValue }
        public var errorUserInfo: [String: Any] { userInfo }

        /// The error, and what to do about it.
        public var localizedDescription: String {
            userInfo[NSLocalizedDescriptionKey] as? String
                ?? "The operation couldn’t be completed. (\(Self.errorDomain) error \(errorCode).)"
        }

        /// The description in the format of Apple's console, with the domain and the code.
        public var description: String {
            let text = userInfo[NSLocalizedDescriptionKey] as? String ?? "(null)"
            return "Error Domain=\(Self.errorDomain) Code=\(errorCode) \"\(text)\""
        }

        public static func == (one: Error, other: Error) -> Bool {
            one.code == other.code
                && (one.userInfo as NSDictionary).isEqual(to: other.userInfo)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(code) }
    }
}
