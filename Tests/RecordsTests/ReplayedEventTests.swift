import Payments
import Testing

@testable import Records

/// The quick reading of a record is an optimisation only: whenever it answers, it answers what the
/// general decoder says.
@Suite struct ReplayedEventTests {
    private func quick(_ record: [UInt8]) -> ReplayedEvent? {
        record.withUnsafeBytes { ReplayedEvent(quickly: $0) }
    }

    private func encode(_ notification: Notification, _ content: RecordContent) -> [UInt8] {
        Samples.arrival(notification).record(content)
    }

    @Test(arguments: RecordDecoderTests.effects)
    func itAgreesWithTheGeneralDecoder(effect: Effect) throws {
        for isFull in [true, false] {
            for flags in [[], [Flag.testMode]] {
                let notification = Notification(
                    id: "id-1", kind: "payment", status: "paid",
                    occurred: isFull ? Timestamp(microseconds: 5) : nil,
                    reference: isFull ? "R-ü" : nil, transaction: isFull ? "T" : nil,
                    effect: effect, flags: flags)
                var content = RecordEncoderTests.paid
                content.flags = isFull ? [.conflict, .testMode] : []
                content.conflictsWith = isFull ? 3 : nil
                content.outcome = isFull ? .conflict : .recorded
                let record = encode(notification, content)
                guard let quick = quick(record) else { continue }
                #expect(quick == ReplayedEvent(try RecordDecoder.event(record)))
            }
        }
    }

    @Test func itReadsTheCommonRecords() {
        #expect(quick(encode(Samples.payment("E"), RecordEncoderTests.paid)) != nil)
        #expect(quick(encode(Samples.refund("E"), RecordEncoderTests.paid)) != nil)
        let ignored = RecordContent(
            sequence: 1, outcome: .ignored, conflictsWith: nil, flags: [.unknownKind, .testMode],
            order: nil)
        #expect(quick(encode(Notification(id: "T", kind: "k", status: "s"), ignored)) != nil)
    }

    @Test func escapesAndDamageAreLeftToTheGeneralDecoder() {
        let record = encode(Samples.payment("E\"1"), RecordEncoderTests.paid)
        #expect(quick(record) == nil)
        let good = encode(Samples.payment("E-1"), RecordEncoderTests.paid)
        let event = good.firstRange(of: Array(#"}}},"order""#.utf8))!.lowerBound
        for length in 0..<event { #expect(quick(Array(good[..<length])) == nil) }
    }

    @Test func everyBitFlipInTheEventIsReadAlikeOrNotAtAll() throws {
        let record = encode(Samples.payment("E-1"), RecordEncoderTests.paid)
        let end = record.firstRange(of: Array(#","order""#.utf8))!.lowerBound
        for index in 0..<end {
            for bit in 0..<8 {
                var flipped = record
                flipped[index] ^= 1 << bit
                // Bytes that are no UTF-8 are repaired differently; the journal's checksums see
                // them.
                guard flipped[index] < 0x80, let quick = quick(flipped),
                    let general = try? RecordDecoder.event(flipped)
                else { continue }
                #expect(quick.notification == ReplayedEvent(general).notification)
                #expect(quick.sequence == general.sequence)
            }
        }
    }
}
