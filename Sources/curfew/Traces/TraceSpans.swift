// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Curfew
import PluginBridge
import Scheduling

/// The spans of launches, in the JSON of the OpenTelemetry protocol:
/// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
enum TraceSpans {
    /// Kinds of spans, and states.
    private static let (internalKind, consumer): (Int64, Int64) = (1, 5)
    private static let (isOK, isError): (Int64, Int64) = (1, 2)

    /// - Parameter service: the name by which those who look at traces know the host.
    static func body(_ launches: [EndedLaunch], service: String) -> String {
        JSONItem.object([
            (
                "resourceSpans",
                .list([
                    .object([
                        (
                            "resource",
                            .object([
                                (
                                    "attributes",
                                    .list([
                                        text("service.name", service),
                                        text("service.version", CURFEW_VERSION_STRING),
                                    ])
                                )
                            ])
                        ),
                        (
                            "scopeSpans",
                            .list([
                                .object([
                                    (
                                        "scope",
                                        .object([
                                            ("name", .text("curfew")),
                                            ("version", .text(CURFEW_VERSION_STRING)),
                                        ])
                                    ), ("spans", .list(launches.flatMap(spans))),
                                ])
                            ])
                        ),
                    ])
                ])
            )
        ]).written
    }

    /// One for its task; and before its first launch one for the time that it waited.
    private static func spans(_ launch: EndedLaunch) -> [JSONItem] {
        let (request, attempt) = (launch.request, launch.attempt)
        let identifier = request.description.identifier
        let own = launch.trace
        let parent = request.description.trace?.spanText
        let outcome = attempt.outcome ?? .interrupted
        var spans: [JSONItem] = []
        let due = max(request.submittedAt, request.description.earliest ?? 0)
        if attempt.launch == 1, due < attempt.startedAt {
            let wait = TraceContext(
                high: own.high, low: own.low, span: ~own.span, flags: own.flags)
            spans.append(
                span(
                    wait, parent, "wait \(identifier)", internalKind, due..<attempt.startedAt,
                    [number("curfew.request", Int64(clamping: request.id.rawValue))], isOK, ""))
        }
        var attributes = [
            text("curfew.identifier", identifier),
            number("curfew.request", Int64(clamping: request.id.rawValue)),
            number("curfew.launch", Int64(clamping: attempt.launch)),
            number("curfew.attempt", Int64(attempt.number)),
            text("curfew.outcome", outcome.name),
        ]
        if let reason = attempt.reason { attributes.append(text("curfew.stopped", reason.name)) }
        if let exit = attempt.record.exit {
            attributes.append(number("process.exit.code", Int64(exit)))
        }
        let didWell = outcome == .succeeded || outcome == .cancelled
        spans.append(
            span(
                own, parent, "run \(identifier)", consumer,
                attempt.startedAt..<max(attempt.startedAt, launch.end), attributes,
                didWell ? isOK : isError,
                didWell ? "" : attempt.error.isEmpty ? outcome.name : attempt.error))
        return spans
    }

    private static func span(
        _ context: TraceContext, _ parent: String?, _ name: String, _ kind: Int64,
        _ dates: Range<Int64>, _ attributes: [JSONItem], _ code: Int64, _ message: String
    ) -> JSONItem {
        var status: [(key: String, value: JSONItem)] = [("code", .integer(code))]
        if !message.isEmpty { status.append(("message", .text(message))) }
        var members: [(key: String, value: JSONItem)] = [
            ("traceId", .text(context.traceText)), ("spanId", .text(context.spanText)),
        ]
        if let parent { members.append(("parentSpanId", .text(parent))) }
        // Numbers of 64 bits are texts in this format.
        members += [
            ("name", .text(name)), ("kind", .integer(kind)),
            ("startTimeUnixNano", .text("\(dates.lowerBound)")),
            ("endTimeUnixNano", .text("\(dates.upperBound)")),
            ("attributes", .list(attributes)), ("status", .object(status)),
        ]
        return .object(members)
    }

    private static func text(_ key: String, _ value: String) -> JSONItem {
        .object([
            ("key", .text(key)), ("value", .object([("stringValue", .text(value))])),
        ])
    }

    private static func number(_ key: String, _ value: Int64) -> JSONItem {
        .object([
            ("key", .text(key)), ("value", .object([("intValue", .text("\(value)"))])),
        ])
    }
}
