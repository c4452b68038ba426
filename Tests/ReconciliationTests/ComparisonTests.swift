import JSON
import Payments
import Reconciliation
import Testing

@Suite struct ComparisonTests {
    private let myr = Currency("MYR")!

    private func order(
        _ status: OrderStatus, _ reference: String, _ minor: Int64?, refunded: Int64? = nil
    ) -> LedgerOrder {
        var order = LedgerOrder(status, reference: reference, first: 7)
        order.amount = minor.map { Money(minor: $0, currency: myr) }
        order.captured = order.amount
        order.refunded = refunded.map { Money(minor: $0, currency: myr) }
        return order
    }

    private func claim(_ rows: String) throws -> StatementReader.Claim {
        var statement = StatementReader(StatementLayout())
        try statement.feed(Array("reference,amount,currency,status\n\(rows)\n".utf8))
        try statement.finish()
        return try #require(statement.claims["R"])
    }

    @Test(
        arguments: [
            ("R,42.00,MYR,paid", []), ("R,42.01,MYR,paid", [Difference.Kind.otherAmount]),
            ("R,42.00,SGD,paid", [.otherAmount]), ("R,42.00,MYR,failed", [.otherStatus]),
            ("R,41.00,MYR,failed", [.otherAmount, .otherStatus]),
            ("R,42.00,MYR,paid\nR,1.00,SGD,paid", [.otherAmount]),
            ("R,40.00,MYR,failed\nR,2.00,MYR,paid", []),
            // The last row is a refund or a chargeback that the order lacks.
            ("R,42.00,MYR,paid\nR,0.00,MYR,refunded", [.otherStatus]),
            ("R,42.00,MYR,charged_back\nR,0.00,MYR,paid", [.otherStatus]),
            ("R,42.00,MYR,review\nR,0.00,MYR,paid", []), ("R,42.00,MYR,", []), ("R,,MYR,paid", []),
        ] as [(String, [Difference.Kind])])
    func `both have it`(_ rows: String, _ kinds: [Difference.Kind]) throws {
        var comparison = Comparison()
        comparison.compare(order(.paid, "R", 4200), as: "R", try claim(rows))
        #expect(comparison.differences.map(\.kind) == kinds)
        #expect(comparison.compared == 1)
    }

    @Test func `net is what was taken less what was refunded`() throws {
        var comparison = Comparison()
        comparison.sum = .net
        let rows = "R,42.00,MYR,paid\nR,-10.50,MYR,partially_refunded"
        comparison.compare(
            order(.partiallyRefunded, "R", 4200, refunded: 1050), as: "R", try claim(rows))
        #expect(comparison.differences.isEmpty)
    }

    /// Otherwise the statement's sum could agree with one that is not true.
    @Test func `net is unknown where the captured or the refunded sum is`() throws {
        var orders = [
            order(.partiallyRefunded, "R", 4200), order(.paid, "R", 4200, refunded: 0),
            order(.partiallyRefunded, "R", 4200, refunded: 1),
        ]
        orders[1].captured = nil
        orders[2].refunded = Money(minor: 0, currency: try #require(Currency("SGD")))
        for order in orders {
            var comparison = Comparison()
            comparison.sum = .net
            comparison.compare(order, as: "R", try claim("R,42.00,MYR,"))
            #expect(comparison.differences.map(\.kind) == [.otherAmount], "\(order)")
            #expect(comparison.differences.first?.here == "")
        }
    }

    /// A settlement report's status for a refund does not tell whether it was the whole sum.
    @Test func `a payment and its refund are a refunded order`() throws {
        var comparison = Comparison()
        comparison.sum = .net
        let rows = "R,42.00,MYR,paid\nR,-10.50,MYR,refunded"
        comparison.compare(
            order(.partiallyRefunded, "R", 4200, refunded: 1050), as: "R", try claim(rows))
        #expect(comparison.differences.isEmpty)
    }

    /// The rows of an order under all of its references; a sum beyond 64 bits matches no order.
    @Test func `claims of one order are added up`() throws {
        var whole = try claim("R,42.00,MYR,paid")
        whole.add(try claim("R,-10.50,MYR,refunded\nR,1.00,SGD,paid"))
        #expect(whole.amounts.map(\.description) == ["31.50 MYR", "1.00 SGD"])
        #expect(whole.statuses == [.paid, .refunded] && whole.line == 2)
        var large = try claim("R,92233720368547758.07,MYR,paid")
        large.add(try claim("R,92233720368547758.07,MYR,paid"))
        #expect(large.amounts.count == 2)
    }

    @Test func `what is alone is a difference where money moved`() throws {
        var comparison = Comparison()
        for status in OrderStatus.allCases { comparison.isAlone(order(status, "R", 1)) }
        #expect(
            Set(comparison.differences.map { $0.here.split(separator: " ")[0] }) == [
                "paid", "partially_refunded", "refunded", "disputed", "charged_back", "review",
            ])
        comparison.lacks("R", try claim("R,42.00,MYR,paid"))
        #expect(comparison.differences.last?.kind == .missingHere)
        #expect(comparison.differences.last?.there == "paid 42.00 MYR")
    }

    /// 128 bits: no file overflows them, and no digit is lost.
    @Test func `totals are exact beyond 64 bits`() {
        var totals = Totals()
        for _ in 0..<3 { totals.add(Money(minor: .max, currency: myr)) }
        #expect(totals[myr] == Int128(Int64.max) * 3)
        #expect(Totals.text(totals[myr], myr) == "276701161105643274.21 MYR")
        #expect(Totals.text(-5, myr) == "-0.05 MYR")
        #expect(Totals.text(5, Currency("JPY")!) == "5 JPY")
    }
}

@Suite struct SweepTests {
    private let myr = Currency("MYR")!

    private func result(
        _ verdict: String, before: OrderStatus = .pending, after: OrderStatus? = nil,
        told: Bool = false
    ) -> SweepResult {
        var order = LedgerOrder(before, reference: "R")
        order.hasAttempts = told
        order.flags = ["overdue"]
        return SweepResult(
            "R", before: order, after: after.map { LedgerOrder($0, reference: "R") } ?? order,
            verdict: verdict, reason: "why", detail: "more")
    }

    @Test func `every verdict has its difference`() {
        #expect(result("answered").differences.isEmpty)
        #expect(result("answered", after: .paid).differences.map(\.kind) == [.otherStatus])
        // Neither side has the payment: they agree.
        #expect(result("absent").differences.isEmpty)
        #expect(
            result("absent", before: .paid, told: true).differences.map(\.kind) == [.missingThere])
        for verdict in ["retry", "denied", "untrusted", "unreadable", ""] {
            #expect(result(verdict).differences.map(\.kind) == [.notAnswered])
        }
    }

    @Test func `sums and flags are compared`() {
        var before = LedgerOrder(.paid, reference: "R")
        before.amount = Money(minor: 4200, currency: myr)
        var after = before
        after.refunded = Money(minor: 0, currency: myr)
        after.flags = ["overdue"]
        func kinds() -> [Difference.Kind] {
            SweepResult(
                "R", before: before, after: after, verdict: "answered", reason: "", detail: ""
            ).differences.map(\.kind)
        }
        #expect(kinds().isEmpty)
        after.refunded = Money(minor: 1, currency: myr)
        #expect(kinds() == [.otherAmount])
        after.flags = ["refund_ambiguous"]
        #expect(kinds() == [.otherAmount, .newDoubt])
    }

    @Test func `progress is read again up to a torn line`() throws {
        let (from, to) = (Timestamp(microseconds: 0), Timestamp(microseconds: 5_000_001))
        var progress = SweepProgress(endpoint: "antom", from: from, to: to)
        var bytes = progress.head
        var before = LedgerOrder(.partiallyRefunded, reference: "R-1", first: 9)
        before.amount = Money(minor: 4200, currency: myr)
        before.captured = before.amount
        before.refunded = Money(minor: 1, currency: myr)
        (before.flags, before.hasAttempts) = (["conflict"], true)
        bytes += progress.begin("R-1", before)
        bytes += progress.note("R-1", [])
        bytes += progress.note(
            "R \"2\"", [Difference(.otherStatus, "R \"2\"", here: "paid", there: "failed")])
        #expect(try SweepProgress(parsing: bytes) == progress)
        var longer = progress
        let torn = longer.note("R-3", [])
        for count in 0..<torn.count {
            #expect(try SweepProgress(parsing: bytes + torn.prefix(count)) == progress)
        }
        #expect(try SweepProgress(parsing: bytes + torn) == longer)
    }

    @Test func `what is no progress is refused`() {
        #expect(throws: SweepProgress.Mistake.notProgress) {
            try SweepProgress(parsing: Array("{}\n".utf8))
        }
        let head = SweepProgress(
            endpoint: "a", from: Timestamp(microseconds: 0), to: Timestamp(microseconds: 1)
        ).head
        #expect(throws: SweepProgress.Mistake.line(2)) {
            try SweepProgress(parsing: head + Array("junk\n{}\n".utf8))
        }
    }
}
