import HTTP
import HTTPServer
import Logging
import Payments
import Platform
import Providers
import Records
import Store

/// Reports each request: one log line, one count, and for a refusal an entry in the rejection log.
/// A repeated cause is one line and a count.
package struct RequestLog: Sendable {
    private let sink: LogSink
    private let format: LogFormat
    private let metrics: Metrics
    private let rejections: RejectionLog?
    private let causes: RepeatedCauses
    private let clock: any Clock
    /// The lowest level that is logged. Refusals are logged at every level.
    let level: Logger.Level

    /// - Parameters:
    ///   - sink: Destination of the lines. This log uses its clock, too.
    ///   - repeatSeconds: Time in which a cause is only counted after its first line; 0 logs each.
    package init(
        sink: LogSink, format: LogFormat, metrics: Metrics, rejections: RejectionLog?,
        level: Logger.Level = .info, repeatSeconds: Int = 60
    ) {
        self.sink = sink
        self.format = format
        self.metrics = metrics
        self.rejections = rejections
        self.level = level
        clock = sink.clock
        causes = RepeatedCauses(seconds: repeatSeconds, clock: sink.clock) { cause, count in
            var line = LogLine(
                format, level: cause.level, message: "repeated", time: sink.time)
            if !cause.endpoint.isEmpty { line.field("endpoint", cause.endpoint) }
            line.field("reason", cause.reason)
            line.field("count", count)
            line.field("seconds", repeatSeconds)
            let bytes = line.finished()
            sink.write { $0.append(contentsOf: bytes) }
        }
    }

    /// The time at which a request is received: now.
    func arrival() -> Arrival { Arrival(clock) }

    func elapsedMicroseconds(since arrival: Arrival) -> UInt64 {
        clock.now.nanoseconds(since: arrival.monotonic) / 1000
    }

    /// Reports a verified notification and the store's receipt.
    func recorded(
        _ receipt: Receipt, _ notification: Notification, at endpoint: Endpoint,
        _ context: RequestContext, _ arrival: Arrival
    ) {
        let micros = elapsedMicroseconds(since: arrival)
        let outcome = Outcome(receipt)
        arrival.trace?.recorded(outcome, receipt, notification)
        endpoint.counters.count(outcome, micros: micros)
        if outcome != .unavailable { endpoint.counters.noteAccepted(at: arrival.received) }
        if case .duplicate(let original) = receipt.outcome {
            metrics.repetitions.add(original, at: arrival.received)
        }
        var reason: String?
        if case .refused(let refusal) = receipt.outcome { reason = refusal.reason }
        if let reason { metrics.count(reason: reason, at: endpoint.name) }
        guard let level = level(of: receipt, outcome, reason) else { return }
        let time = Timestamp(microseconds: arrival.received.microseconds + Int64(micros))
        log(level: level.rawValue, "notification", at: time) { line in
            line.field("endpoint", endpoint.name)
            line.field("outcome", outcome.rawValue)
            line.field("reason", reason)
            line.field("kind", notification.kind)
            line.field("event", notification.status)
            line.field("order", receipt.reference ?? notification.reference)
            line.field("status", receipt.status?.rawValue)
            if let sequence = receipt.sequence { line.field("sequence", sequence) }
            if !notification.flags.isEmpty {
                line.field("flags", notification.flags.map(\.rawValue).joined(separator: ","))
            }
            line.field("client", context.clientText)
            line.field("micros", micros)
        }
    }

    /// Reports a verified request with several events: one line, a count for each event.
    func recorded(
        _ receipts: [Receipt], _ notifications: [Notification], at endpoint: Endpoint,
        _ context: RequestContext, _ arrival: Arrival
    ) {
        let micros = elapsedMicroseconds(since: arrival)
        arrival.trace?.recorded(receipts)
        var counts: [Outcome: Int] = [:]
        var lineLevel = Logger.Level.info
        for receipt in receipts {
            let outcome = Outcome(receipt)
            counts[outcome, default: 0] += 1
            endpoint.counters.count(outcome)
            if case .duplicate(let original) = receipt.outcome {
                metrics.repetitions.add(original, at: arrival.received)
            }
            if needsReview(receipt, outcome) { lineLevel = .warning }
        }
        endpoint.counters.latency.add(Int(clamping: micros))
        var reason: String?
        for case .refused(let refusal) in receipts.map(\.outcome) { reason = refusal.reason }
        if let reason {
            metrics.count(reason: reason, at: endpoint.name)
            lineLevel = .warning
            guard shouldLog("warning", "", reason) else { return }
        } else {
            endpoint.counters.noteAccepted(at: arrival.received)
            guard lineLevel >= level else { return }
        }
        let time = Timestamp(microseconds: arrival.received.microseconds + Int64(micros))
        log(level: lineLevel.rawValue, "notification", at: time) { line in
            line.field("endpoint", endpoint.name)
            line.field("events", receipts.count)
            if let count = counts[.recorded] { line.field("recorded", count) }
            if let count = counts[.duplicate] { line.field("duplicate", count) }
            if let count = counts[.conflict] { line.field("conflict", count) }
            if let count = counts[.ignored] { line.field("ignored", count) }
            if let count = counts[.unavailable] { line.field("unavailable", count) }
            line.field("reason", reason)
            if let first = receipts.lazy.compactMap(\.sequence).min() {
                line.field("sequence", first)
            }
            let flags = FlagSet(notifications.flatMap(\.flags)).list
            if !flags.isEmpty {
                line.field("flags", flags.map(\.rawValue).joined(separator: ","))
            }
            line.field("client", context.clientText)
            line.field("micros", micros)
        }
    }

    /// The level of a notification's line; nil if none is written. An order that needs review is a
    /// warning when it gets into that status, but not again for a duplicate.
    private func level(of receipt: Receipt, _ outcome: Outcome, _ reason: String?) -> Logger.Level?
    {
        // While a store is unavailable, every request fails for the same reason.
        if let reason { return shouldLog("warning", "", reason) ? .warning : nil }
        let line = needsReview(receipt, outcome) ? Logger.Level.warning : .info
        return line >= level ? line : nil
    }

    private func needsReview(_ receipt: Receipt, _ outcome: Outcome) -> Bool {
        outcome == .conflict || (outcome == .recorded && receipt.status == .review)
    }

    private func shouldLog(_ level: String, _ endpoint: String, _ reason: String) -> Bool {
        causes.shouldLog(LogCause(level: level, endpoint: endpoint, reason: reason))
    }

    /// Reports a request that did not verify. The rejection log gets everything that is needed to
    /// find out why.
    func refused(
        _ refusal: Refusal, _ request: Request, at endpoint: Endpoint, _ context: RequestContext,
        _ arrival: Arrival
    ) {
        arrival.trace?.refused(refusal)
        endpoint.counters.count(.refused, micros: elapsedMicroseconds(since: arrival))
        metrics.count(reason: refusal.reason, at: endpoint.name)
        let kept = rejections?.add(refusal, request, at: endpoint, context, arrival)
        guard shouldLog("warning", endpoint.name, refusal.reason) else { return }
        log(level: "warning", "refused") { line in
            line.field("endpoint", endpoint.name)
            line.field("reason", refusal.reason)
            line.field("detail", endpoint.redactor.masked(refusal.detail))
            line.field("client", context.clientText)
            line.field("rejection", kept ?? nil)
        }
    }

    /// The reason of the warning about card numbers and security codes.
    private static let cardData = "card_data"

    /// Reports the parts of a verified request that were removed before it was stored, with a
    /// warning for card numbers and security codes: the provider should not send them.
    func redacted(_ request: RecordedRequest, at endpoint: Endpoint) {
        guard let mark = request.redaction else { return }
        endpoint.counters.count(mark)
        guard mark.cards + mark.codes > 0,
            shouldLog("warning", endpoint.name, Self.cardData)
        else { return }
        log(level: "warning", "redacted") { line in
            line.field("endpoint", endpoint.name)
            line.field("reason", Self.cardData)
            line.field("cards", mark.cards)
            line.field("codes", mark.codes)
        }
    }

    /// Reports a well-formed request that no endpoint accepts.
    func misrouted(_ refusal: RoutingRefusal, _ request: Request, _ context: RequestContext) {
        metrics.count(reason: refusal.rawValue, at: "")
        guard shouldLog("notice", "", refusal.rawValue) else { return }
        log(level: "notice", "refused") { line in
            line.field("reason", refusal.rawValue)
            line.field("path", Self.loggedPath(request))
            line.field("client", context.clientText)
        }
    }

    /// Reports a request that resembles a notification, to an unknown path. A warning, because the
    /// URL or the proxy must be corrected before the provider stops retrying.
    func misdirected(
        _ misdirection: Misdirection, _ request: Request, _ context: RequestContext,
        _ arrival: Arrival
    ) {
        let reason = RoutingRefusal.unknownPath.rawValue
        metrics.count(reason: reason, at: "")
        misdirection.nearest.counters.countMisdirected()
        let kept = rejections?.add(misdirection, request, context, arrival)
        guard shouldLog("warning", misdirection.nearest.name, reason) else { return }
        log(level: "warning", "refused") { line in
            line.field("reason", reason)
            line.field("detail", misdirection.sentence)
            line.field("path", Self.loggedPath(request))
            line.field("provider", misdirection.system)
            line.field("nearest", misdirection.nearest.name)
            line.field("client", context.clientText)
            line.field("rejection", kept ?? nil)
        }
    }

    /// The path without the query, which may contain anything, even a mistyped secret.
    private static func loggedPath(_ request: Request) -> String {
        String(decoding: request.path.prefix(200), as: UTF8.self)
    }

    /// Reports input that the server refused before there was a request.
    func refusedByServer(_ reason: String, status: Int?, _ context: RequestContext) {
        metrics.count(reason: reason, at: "")
        guard shouldLog("notice", "", reason) else { return }
        log(level: "notice", "refused") { line in
            line.field("reason", reason)
            if let status { line.field("answer", status) }
            line.field("client", context.clientText)
        }
    }

    /// Reports that a connection was reset before a request. Some proxies close connections that
    /// they no longer need in this way.
    func closedIdle(_ reason: String, _ context: RequestContext) {
        guard level <= .debug else { return }
        log(level: "debug", "closed") { line in
            line.field("reason", reason)
            line.field("client", context.clientText)
        }
    }

    func log(
        level: String, _ message: String, at time: Timestamp? = nil,
        _ fill: (inout LogLine) -> Void
    ) {
        var line = LogLine(format, level: level, message: message, time: time ?? sink.time)
        fill(&line)
        let bytes = line.finished()
        sink.write { $0.append(contentsOf: bytes) }
    }
}

/// The outcome of a request at an endpoint, as log lines and metrics name it.
package enum Outcome: String, Sendable, CaseIterable {
    case recorded, duplicate, conflict, ignored
    /// Not verified, or malformed.
    case refused
    /// Verified, but could not be stored.
    case unavailable

    init(_ receipt: Receipt) {
        self =
            switch receipt.outcome {
            case .recorded: .recorded
            case .duplicate: .duplicate
            case .conflict: .conflict
            case .ignored: .ignored
            case .denied, .refused: .unavailable
            }
    }
}

/// When a notification was received: by the wall clock for the record, and by the monotonic clock
/// to measure the acknowledgement.
package struct Arrival: Sendable {
    package let received: Timestamp
    package let monotonic: MonotonicTime
    /// Nil while traces are off.
    var trace: NotificationTrace?

    init(received: Timestamp, monotonic: MonotonicTime) {
        self.received = received
        self.monotonic = monotonic
    }

    /// Now.
    package init(_ clock: any Clock) {
        received = Timestamp(microseconds: clock.wallMicroseconds)
        monotonic = clock.now
    }
}
