import Testing

@testable import Payments
@testable import Records

/// The quick reading of a record is an optimisation only: whenever it answers, it answers what the
/// general scanner says.
@Suite struct OrderEntryTests {
    /// An entry with its texts, so that entries of different bytes can be compared.
    private struct Texts: Equatable {
        var numbers: [Int64?]
        var texts: [String?]

        init(_ entry: OrderEntry, of bytes: UnsafeRawBufferPointer) {
            func text(_ place: Range<Int>?) -> String? {
                place.map { String(decoding: bytes[$0], as: UTF8.self) }
            }
            numbers = [
                Int64(entry.sequence), entry.received.microseconds, entry.amount?.minor,
                entry.refunded?.minor, entry.expected?.minor, entry.expires?.microseconds,
            ]
            texts = [
                text(entry.endpoint), text(entry.reference), text(entry.transaction),
                text(entry.status), text(entry.amount?.currency), text(entry.refunded?.currency),
                text(entry.flags), text(entry.expected?.currency), text(entry.metadata),
            ]
        }
    }

    private static func money(_ minor: Int64) -> Money {
        Money(minor: minor, currency: Currency("MYR")!)
    }

    private static func record(
        reference: String? = "R-1", transaction: String? = "T-1", flags: [Flag] = [],
        conflictsWith: UInt64? = nil, amount: Money? = money(4200), id: String = "E-1"
    ) -> [UInt8] {
        let notification = Notification(
            id: id, kind: "payment", status: "paid", occurred: Timestamp(microseconds: 5),
            reference: reference, transaction: transaction, effect: .attempt(.paid, amount))
        let summary = OrderSummary(status: .paid, amount: amount, refunded: amount, flags: flags)
        let content = RecordContent(
            sequence: 42, outcome: .recorded, conflictsWith: conflictsWith, flags: flags,
            order: OrderChange(
                reference: reference, transaction: transaction, previous: .pending,
                summary: summary))
        var arrival = Samples.arrival(
            notification, body: Array(#"{"order":{"reference":"no"}}"#.utf8))
        arrival.peer = ""
        return arrival.record(content)
    }

    private static let common = [
        record(), record(reference: nil), record(transaction: nil), record(amount: nil),
        record(conflictsWith: 7), record(reference: "ü", amount: money(-5)),
    ]

    @Test(arguments: common)
    func itAgreesWithTheGeneralScanner(record: [UInt8]) throws {
        try record.withUnsafeBytes { bytes in
            let quick = try #require(OrderEntry(quickly: bytes))
            let draft = try OrderEntryDraft(bytes)
            #expect(draft.hasOrder)
            draft.bytes.withUnsafeBytes {
                #expect(Texts(quick, of: bytes) == Texts(draft.entry, of: $0))
            }
        }
    }

    @Test(arguments: [
        record(flags: [.testMode]), record(reference: "R\"1"), record(id: "\\"),
        record(reference: nil, transaction: nil), Array("{}".utf8), [],
    ])
    func anythingElseIsLeftToTheGeneralScanner(record: [UInt8]) {
        record.withUnsafeBytes { #expect(OrderEntry(quickly: $0) == nil) }
    }

    @Test func theGeneralScannerPutsTheTextsTogether() throws {
        try Self.record(reference: "R\"1", flags: [.conflict, .testMode]).withUnsafeBytes { bytes in
            let draft = try OrderEntryDraft(bytes)
            let texts = draft.bytes.withUnsafeBytes { Texts(draft.entry, of: $0).texts }
            #expect(texts[1] == "R\"1")
            #expect(texts[6] == ",conflict,test_mode,")
        }
    }

    @Test func everyCutIsLeftToTheGeneralScanner() {
        let record = Self.record()
        let end = record.firstRange(of: Array(#","request""#.utf8))!.lowerBound
        for length in 0..<end {
            record[..<length].withUnsafeBytes { #expect(OrderEntry(quickly: $0) == nil) }
        }
    }
}
