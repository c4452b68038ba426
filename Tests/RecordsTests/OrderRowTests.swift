import Testing

@testable import Payments
@testable import Records

/// The row that the committer makes from what it records is the row that an index reads from the
/// record.
@Suite struct OrderRowTests {
    private static let received = Timestamp(microseconds: 1_795_244_400_123_456)

    private static func money(_ minor: Int64) -> Money {
        Money(minor: minor, currency: Currency("MYR")!)
    }

    private struct Recorded {
        var content: RecordContent
        var notification: Notification

        var row: OrderRow? {
            OrderRow(
                content, endpoint: "antom", received: OrderRowTests.received,
                named: notification.reference, alias: notification.alias)
        }

        var record: [UInt8] {
            var arrival = Samples.arrival(
                notification, body: Array(#"{"order":{"reference":"no"}}"#.utf8))
            arrival.peer = ""
            return arrival.record(content)
        }
    }

    private static func recorded(
        reference: String? = "R-1", transaction: String? = "T-1", flags: [Flag] = [],
        conflictsWith: UInt64? = nil, amount: Money? = money(4200), id: String = "E-1",
        named: String? = nil, alias: String? = nil, reason: Reason? = nil,
        change: (inout OrderChange) -> Void = { _ in }
    ) -> Recorded {
        var notification = Notification(
            id: id, kind: "payment", status: "paid", occurred: Timestamp(microseconds: 5),
            reference: named ?? reference, transaction: transaction,
            effect: .attempt(.paid, amount))
        notification.alias = alias
        var summary = OrderSummary(status: .paid, amount: amount, refunded: amount, flags: flags)
        summary.reason = reason
        var order = OrderChange(
            reference: reference, transaction: transaction, previous: .pending, summary: summary)
        change(&order)
        let content = RecordContent(
            sequence: 42, outcome: .recorded, conflictsWith: conflictsWith, flags: flags,
            order: order)
        return Recorded(content: content, notification: notification)
    }

    private static func read(_ record: [UInt8]) throws -> OrderRow? {
        try record.withUnsafeBytes { try OrderRow(RecordReader($0, [.event, .order])) }
    }

    private static let all = [
        recorded(), recorded(reference: nil), recorded(transaction: nil), recorded(amount: nil),
        recorded(conflictsWith: 7), recorded(reference: "ü", amount: money(-5)),
        recorded(flags: [.testMode, .conflict]), recorded(reference: "R\"1\u{1}"),
        recorded(id: "\\"), recorded(named: "R-2"), recorded(alias: "R-3"),
        recorded(reference: nil, named: "R-2"), recorded(reference: "é", named: "e\u{301}"),
        recorded(reason: Reason(code: "", message: "no \"money\"")),
        recorded { order in
            order.absorbed = ["R-8", "R\t9"]
            order.absorbedIDs = ["T-8"]
            order.rivals = ["R-5"]
            order.touched = [
                .init(reference: "R-6", first: 3), .init(reference: nil, id: "T-7"),
            ]
        },
        recorded { order in
            order.summary.authorized = money(1)
            order.summary.captured = money(2)
            order.summary.claims = [money(1), money(2)]
            order.summary.candidates = [money(3)]
            order.summary.method = "card"
            order.summary.agreement = "A-1"
        },
    ]

    @Test(arguments: all.indices)
    func `it is the same from the record`(place: Int) throws {
        let recorded = Self.all[place]
        let row = try #require(recorded.row)
        #expect(try Self.read(recorded.record) == row)
        #expect(row.sequence == 42 && row.received == Self.received)
    }

    @Test func `what is registered is the same from the record`() throws {
        let registered = RegisteredExpectation(
            expectation: Expectation(
                amount: Self.money(9), expires: Timestamp(microseconds: 77)),
            metadata: Array(#"{"a":"é"}"#.utf8))
        var content = Self.recorded().content
        content.order?.transaction = nil
        var record: [UInt8] = []
        let origin = RecordOrigin(
            received: Self.received, endpoint: "antom", provider: "antom", key: nil)
        RecordEncoder.append(
            content, of: registered, reference: "R-1", from: origin, peer: "::1", to: &record)
        let row = OrderRow(
            content, endpoint: "antom", received: Self.received, named: "R-1",
            registered: registered)
        #expect(try Self.read(record) == row)
        #expect(row?.registered == registered)
    }

    @Test func `it has the texts as they are searched`() throws {
        let row = try Self.read(
            Self.recorded(reference: "R\"1", flags: [.conflict, .testMode]).record)
        #expect(row?.reference == "R\"1")
        #expect(row?.flags == ",conflict,test_mode,")
        #expect(Self.recorded(named: "R-2").row?.alias == "R-2")
        #expect(Self.recorded(named: "R-2", alias: "R-3").row?.alias == "R-3")
        #expect(Self.recorded().row?.alias == nil)
    }

    @Test func `a record about no order has none`() throws {
        let ignored = RecordContent(sequence: 1, outcome: .ignored, flags: [], order: nil)
        #expect(try Self.read(Samples.arrival(Samples.payment("E")).record(ignored)) == nil)
        #expect(Self.recorded(reference: nil, transaction: nil).row == nil)
        #expect(try Self.read(Self.recorded(reference: nil, transaction: nil).record) == nil)
    }

    @Test func `every cut of the head is refused`() {
        let record = Self.recorded().record
        let end = record.firstRange(of: Array(#","request""#.utf8))!.lowerBound
        for length in 0..<end {
            #expect(throws: (any Error).self) { try Self.read(Array(record[..<length])) }
        }
    }
}

/// Rows that follow each other.
@Suite struct OrderRowsTests {
    private static func rows(_ sequences: ClosedRange<UInt64>) -> OrderRows {
        var rows = OrderRows()
        for sequence in sequences { rows.append(sequence, nil) }
        return rows
    }

    @Test func `what does not follow begins again`() {
        var rows = Self.rows(1...2)
        rows.append(Self.rows(3...4))
        #expect(rows.first == 1 && rows.end == 5 && rows.count == 4)
        rows.append(Self.rows(6...6))
        #expect(rows.first == 6 && rows.end == 7)
        rows.append(9, nil)
        #expect(rows.first == 9 && rows.count == 1)
        rows.removeAll()
        #expect(rows.isEmpty)
    }

    @Test func `the last head is closed`() {
        var rows = Self.rows(1...1)
        rows.note(lastHead: Array(#"{"a":1"#.utf8)[...])
        var all = Self.rows(0...0)
        all.append(rows)
        #expect(all.lastHead == Array(#"{"a":1}"#.utf8))
    }
}
