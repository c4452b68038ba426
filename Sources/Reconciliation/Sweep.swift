import JSON
import Payments

/// One order of a sweep: its state in the ledger before the provider was asked, the provider's
/// answer, and its state now.
package struct SweepResult: Sendable {
    package var reference: String
    package var before: LedgerOrder
    /// Nil if it can no longer be read.
    package var after: LedgerOrder?
    /// The verdict of `POST /orders/{endpoint}/{reference}/inquire`.
    package var verdict: String
    package var reason: String
    package var detail: String
    /// The wait that the provider asks for.
    package var retryAfterSeconds: Int?

    package init(
        _ reference: String, before: LedgerOrder, after: LedgerOrder?, verdict: String,
        reason: String, detail: String, retryAfterSeconds: Int? = nil
    ) {
        self.reference = reference
        self.before = before
        self.after = after
        self.verdict = verdict
        self.reason = reason
        self.detail = detail
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Whether the provider would answer later, because it has not looked for the order.
    package var isThrottled: Bool { verdict == "retry" && retryAfterSeconds != nil }

    /// The differences by verdict:
    ///
    /// | verdict | difference |
    /// |---|---|
    /// | `answered` | the changes that the answer made |
    /// | `absent` | `missing_there`, if the provider has reported the order before |
    /// | any other | `not_answered` |
    package var differences: [Difference] {
        switch verdict {
        case "answered": return changes
        case "absent":
            guard before.hasAttempts else { return [] }
            return [
                Difference(
                    .missingThere, reference, here: before.status.rawValue, detail: reason)
            ]
        default:
            let words = [verdict, reason].filter { !$0.isEmpty }.joined(separator: ", ")
            return [
                Difference(
                    .notAnswered, reference, here: before.status.rawValue,
                    detail: detail.isEmpty ? words : "\(words): \(detail)")
            ]
        }
    }

    private var changes: [Difference] {
        guard let after else { return [] }
        var all: [Difference] = []
        if before.status != after.status {
            all.append(
                Difference(
                    .otherStatus, reference, here: before.status.rawValue,
                    there: after.status.rawValue))
        }
        if before.sums != after.sums {
            all.append(
                Difference(
                    .otherAmount, reference, here: before.sumsText, there: after.sumsText))
        }
        // The flag `overdue` depends on the clock.
        let raised = after.flags.filter { !before.flags.contains($0) && $0 != "overdue" }
        if !raised.isEmpty {
            all.append(
                Difference(
                    .newDoubt, reference, here: before.flags.joined(separator: " "),
                    there: after.flags.joined(separator: " ")))
        }
        return all
    }
}

extension LedgerOrder {
    /// The sums to compare; no refund and a refund of zero are equal.
    fileprivate var sums: [Money?] {
        [amount, captured, refunded.flatMap { $0.minor == 0 ? nil : $0 }]
    }

    fileprivate var sumsText: String {
        var parts = [amount?.description ?? "no amount"]
        if let captured, captured != amount { parts.append("captured \(captured)") }
        if let refunded, refunded.minor != 0 { parts.append("refunded \(refunded)") }
        return parts.joined(separator: ", ")
    }
}

/// The progress file of a sweep, from which it continues after an interruption: its period in the
/// first line, then each order's state before its provider is asked, and its differences. JSON
/// Lines, append-only.
package struct SweepProgress: Sendable, Equatable {
    package var endpoint: String
    /// The period: from, inclusive, and to, exclusive.
    package var from: Timestamp
    package var to: Timestamp
    /// The finished references, each with its differences.
    package private(set) var done: [ExactText: [Difference]] = [:]
    /// The state of each order before its provider was asked. The answer may be recorded since, and
    /// is compared with that state.
    package private(set) var begun: [ExactText: LedgerOrder] = [:]

    package init(endpoint: String, from: Timestamp, to: Timestamp) {
        self.endpoint = endpoint
        self.from = from
        self.to = to
    }

    package enum Mistake: Error, Sendable, Equatable {
        /// The first line is not that of a progress file.
        case notProgress
        /// A line that is not the last cannot be read.
        case line(Int)
    }

    /// - Throws: ``Mistake``. An incomplete last line was being written when the sweep was
    ///   interrupted: its order is asked about again.
    package init(parsing bytes: [UInt8]) throws(Mistake) {
        let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[...$0] } ?? []
        let lines = whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
        guard let head = lines.first.flatMap({ Self.object($0) }),
            head["reconcile"]?.int64 == Self.version, let endpoint = head["endpoint"]?.string,
            let from = head["from"]?.string.flatMap({ Timestamp(iso8601: $0) }),
            let to = head["to"]?.string.flatMap({ Timestamp(iso8601: $0) })
        else { throw .notProgress }
        self.init(endpoint: endpoint, from: from, to: to)
        for (index, line) in lines.enumerated().dropFirst() {
            guard let value = Self.object(line),
                let reference = value["reference"]?.string.map({ ExactText($0) })
            else { throw .line(index + 1) }
            if let list = value["differences"] {
                done[reference] = list.elements.compactMap { Difference($0) }
            } else if let before = value["before"].flatMap({ LedgerOrder($0) }) {
                begun[reference] = before
            } else {
                throw .line(index + 1)
            }
        }
    }

    private static let version: Int64 = 1

    private static func object(_ line: ArraySlice<UInt8>) -> JSONValue? {
        try? JSONDocument(parsing: Array(line)).root
    }

    /// The first line.
    package var head: [UInt8] {
        let line = JSONWriter.object(reserving: 128) {
            $0.member("reconcile", Self.version)
            $0.member("endpoint", endpoint)
            $0.member("from", from.rfc3339)
            $0.member("to", to.rfc3339)
        }
        return line + [UInt8(ascii: "\n")]
    }

    /// Notes the state of an order before its provider is asked; returns the line for the file.
    package mutating func begin(_ reference: String, _ before: LedgerOrder) -> [UInt8] {
        begun[ExactText(reference)] = before
        let line = JSONWriter.object(reserving: 256) {
            $0.member("reference", reference)
            $0.member("before", before)
        }
        return line + [UInt8(ascii: "\n")]
    }

    /// Notes that an order is finished; returns the line for the file.
    package mutating func note(_ reference: String, _ differences: [Difference]) -> [UInt8] {
        done[ExactText(reference)] = differences
        let line = JSONWriter.object(reserving: 128) {
            $0.member("reference", reference)
            $0.member("differences", differences)
        }
        return line + [UInt8(ascii: "\n")]
    }
}
