public struct LaunchRate: Sendable {
    public init() {}
    mutating func launched(at: Moment) {}
    mutating func missed(at: Moment) {}
    mutating func succeeded() {}
    func restsUntil(_ now: Moment) -> UInt64? { nil }
    var detail: String { "" }
}
public struct DayBudget: Sendable {
    public init() {}
    mutating func spend(launches: Int = 0, wall: UInt64 = 0, cpu: UInt64 = 0, at: Int64) {}
    func isSpent(at: Int64) -> Bool { false }
    func resetsAt(_ now: Int64) -> Int64 { now }
    func detail(at: Int64) -> String { "" }
}
public struct UsageHistogram: Sendable {
    public init() {}
    public var isEmpty: Bool { true }
    func score(at: Int64) -> Double { 0 }
    func detail(at: Int64) -> String { "" }
}
