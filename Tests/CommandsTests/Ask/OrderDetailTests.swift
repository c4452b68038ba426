import AdminAPI
import Payments
import Testing

@testable import Commands

@Suite struct OrderDetailTests {
    private static let time = Timestamp(iso8601: "2026-12-01T00:00:00Z")!
    private static let money = Money(minor: 4200, currency: Currency("MYR")!)

    /// The lines of the order `a/1` with this status, after `change`.
    private static func lines(
        _ status: String = "paid", metadata: String? = nil, records: [EventAnswer] = [],
        _ change: (inout OrderAnswer) -> Void = { _ in }
    ) -> [String] {
        var order = OrderAnswer()
        (order.endpoint, order.reference, order.status) = ("a", "1", status)
        change(&order)
        return OrderDetail(
            order: order, name: "R", metadata: metadata, records: records
        ).lines
    }

    @Test func `the first line has endpoint, reference and status`() {
        let lines = Self.lines { ($0.endpoint, $0.reference) = ("antom", "A-1") }
        #expect(lines == ["antom/A-1  PAID"])
    }

    @Test func `amounts are shown with their currency, a refund of nothing is not`() {
        let lines = Self.lines { order in
            (order.amount, order.captured) = (Self.money, Self.money)
            order.refunded = Money(minor: 0, currency: Self.money.currency)
        }
        #expect(
            lines == ["a/1  PAID", "  amount      42.00 MYR", "  captured    42.00 MYR"])
    }

    @Test func `a flag is shown with advice`() {
        let lines = Self.lines("review") { $0.flags = ["conflict"] }
        #expect(lines[1].hasPrefix("  review      The same event"), "\(lines)")
        #expect(lines[2...3] == ["", "flags"])
        #expect(lines[4].hasPrefix("  conflict: "), "\(lines)")
        #expect(lines[4].count > 30, "\(lines)")
    }

    @Test func `attempts and their captures are tables`() {
        var capture = OperationAnswer()
        (capture.id, capture.status, capture.amount) = ("C-1", "succeeded", Self.money)
        var paid = AttemptAnswer()
        (paid.transaction, paid.status, paid.amount) = ("T-1", "succeeded", Self.money)
        paid.captures = [capture]
        var failed = AttemptAnswer()
        (failed.transaction, failed.status) = ("T-2", "failed")
        failed.reason = Reason(code: "51", message: "no funds")
        #expect(
            Self.lines { $0.attempts = [paid, failed] }
                == [
                    "a/1  PAID",
                    "", "attempts",
                    "  transaction  status        amount  reason",
                    "  T-1          succeeded  42.00 MYR  ",
                    "  T-2          failed                51: no funds",
                    "", "captures",
                    "  id   status        amount  reason",
                    "  C-1  succeeded  42.00 MYR  ",
                ])
    }

    @Test func `each list of operations has its own title`() {
        var operation = OperationAnswer()
        (operation.id, operation.status, operation.amount) = ("O-1", "succeeded", Self.money)
        var claim = RefundClaimAnswer()
        (claim.id, claim.status) = ("R-1", "succeeded")
        let lines = Self.lines { order in
            (order.refunds, order.refundClaims) = ([operation], [claim])
            (order.disputes, order.reversals) = ([operation], [operation])
        }
        let titles = lines.filter { !$0.isEmpty && !$0.hasPrefix(" ") }.dropFirst()
        #expect(
            Array(titles) == ["refunds", "refunds of unknown sums", "disputes", "reversals"])
        #expect(lines.contains("  R-1  succeeded          "), "\(lines)")
    }

    @Test func `the expectation and the metadata are shown`() {
        let lines = Self.lines("pending", metadata: #"{"cart":7}"#) { order in
            var expected = ExpectationAnswer()
            (expected.amount, expected.expires) = (Self.money, Self.time)
            order.expected = expected
        }
        #expect(
            lines == [
                "a/1  PENDING", "  expected    42.00 MYR, until 2026-12-01T00:00:00Z",
                #"  metadata    {"cart":7}"#,
            ])
    }

    @Test func `a decision that no longer counts is marked`() {
        for (counts, mark) in [(true, ""), (false, " (does not count any more)")] {
            let lines = Self.lines { order in
                var resolution = ResolutionAnswer()
                (resolution.status, resolution.by, resolution.reason) = ("paid", "ann", "slip")
                (resolution.resolved, resolution.stands) = (Self.time, counts)
                order.resolution = resolution
            }
            #expect(
                lines.last == "  resolved    paid by ann at 2026-12-01T00:00:00Z: slip\(mark)")
        }
    }

    @Test func `the timeline says who acted and why`() {
        var record = EventAnswer()
        (record.sequence, record.received, record.outcome) = (7, Self.time, "recorded")
        (record.event.kind, record.event.status) = ("order", "resolved")
        var act = EventAnswer.Act()
        (act.by, act.reason) = ("ann", "slip")
        record.event.action = act
        var after = EventAnswer.OrderAfter()
        after.status = "paid"
        record.order = after
        let lines = Self.lines(records: [record])
        #expect(lines[2] == "timeline")
        #expect(lines[4].contains("order resolved by ann (slip)"), "\(lines)")
    }

    @Test func `text of a stranger cannot steer the terminal`() {
        let text = Self.lines { order in
            (order.reference, order.method) = ("1\u{1b}[2J", "x\u{7}")
        }.joined()
        #expect(!text.contains("\u{1B}") && !text.contains("\u{07}"))
    }
}
