import JSON
import Payments
import Records

/// What the index takes from a record: the order as the record says it is after the event. Its
/// texts stay where they are, so that nothing is copied on the way into the index.
struct IndexEntry: Equatable {
    /// The place of a text in the bytes that come with the entry.
    typealias Text = Range<Int>

    struct Amount: Equatable {
        var minor: Int64
        var currency: Text
    }

    var sequence: UInt64 = 0
    var received = Timestamp(microseconds: 0)
    var endpoint: Text = 0..<0
    var reference: Text?
    var transaction: Text?
    var status: Text = 0..<0
    var amount: Amount?
    var refunded: Amount?
    var authorized: Amount?
    var captured: Amount?
    var reasonCode: Text?
    var reasonMessage: Text?
    /// Another reference that leads to the order.
    var alias: Text?
    /// References and ids of orders that are part of this one from now on.
    var absorbed: [Text] = []
    var absorbedIDs: [Text] = []
    /// The flags with a comma before and after each, so that one is found by its text; empty when
    /// there is none.
    var flags: Text = 0..<0
    var expected: Amount?
    var expires: Timestamp?
    var metadata: Text?

    init() {}

    /// From a record of exactly the layout that the store writes, without escapes, flags and alias:
    /// nearly all are. Nil for any other. The places are the record's own.
    init?(quickly record: UnsafeRawBufferPointer) {
        var cursor = RecordCursor(record)
        guard cursor.take(#"{"schema":1,"sequence":"#), let sequence = cursor.integer(),
            cursor.take(#","received":""#), let received = cursor.moment(),
            cursor.take(#","endpoint":""#), let endpoint = cursor.place(),
            cursor.take(#","provider":""#), cursor.text() != nil,
            cursor.take(#","key":""#), cursor.text() != nil,
            cursor.take(#","outcome":""#), cursor.text() != nil
        else { return nil }
        if cursor.take(#","conflictsWith":"#) { guard cursor.integer() != nil else { return nil } }
        guard cursor.take(#","flags":[],"event":{"id":""#), cursor.text() != nil,
            cursor.take(#","kind":""#), cursor.text() != nil,
            cursor.take(#","status":""#), cursor.text() != nil
        else { return nil }
        if cursor.take(#","occurred":""#) { guard cursor.text() != nil else { return nil } }
        if cursor.take(#","reference":""#) { guard cursor.text() != nil else { return nil } }
        guard !cursor.take(#","alias":""#), cursor.skipObject(), cursor.take(#","order":{"#) else {
            return nil
        }
        self.sequence = UInt64(clamping: sequence)
        self.received = received
        self.endpoint = endpoint
        guard readOrder(&cursor), reference != nil || transaction != nil else { return nil }
    }

    private mutating func readOrder(_ cursor: inout RecordCursor) -> Bool {
        if cursor.take(#""reference":""#) {
            reference = cursor.place()
            guard reference != nil, cursor.take(",") else { return false }
        }
        guard cursor.take(#""status":""#), let status = cursor.place() else { return false }
        self.status = status
        if cursor.take(#","previous":""#) { guard cursor.text() != nil else { return false } }
        if cursor.take(#","transaction":""#) {
            transaction = cursor.place()
            guard transaction != nil else { return false }
        }
        if cursor.take(#","amount":{"minor":"#) {
            amount = Self.amount(&cursor)
            guard amount != nil else { return false }
        }
        if cursor.take(#","refunded":{"minor":"#) {
            refunded = Self.amount(&cursor)
            guard refunded != nil else { return false }
        }
        if cursor.take(#","authorized":{"minor":"#) {
            authorized = Self.amount(&cursor)
            guard authorized != nil else { return false }
        }
        if cursor.take(#","captured":{"minor":"#) {
            captured = Self.amount(&cursor)
            guard captured != nil else { return false }
        }
        // What has reasons, claims or absorbed orders is rare enough for the general scanner.
        return cursor.take("}")
    }

    private static func amount(_ cursor: inout RecordCursor) -> Amount? {
        guard let minor = cursor.integer(), cursor.take(#","currency":""#),
            let currency = cursor.place(), cursor.take("}")
        else { return nil }
        return Amount(minor: minor, currency: currency)
    }
}
