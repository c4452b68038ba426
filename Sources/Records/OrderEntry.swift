import JSON
import Payments

/// The order as a record says it is after the event: what an index keeps of it. Its texts stay
/// where they are, so that nothing is copied on the way into the index.
package struct OrderEntry: Equatable {
    /// The place of a text in the bytes that come with the entry.
    package typealias Text = Range<Int>

    package struct Amount: Equatable {
        package var minor: Int64
        package var currency: Text
    }

    package var sequence: UInt64 = 0
    package var received = Timestamp(microseconds: 0)
    package var endpoint: Text = 0..<0
    package var reference: Text?
    package var transaction: Text?
    package var status: Text = 0..<0
    package var amount: Amount?
    package var refunded: Amount?
    package var authorized: Amount?
    package var captured: Amount?
    package var reasonCode: Text?
    package var reasonMessage: Text?
    package var method: Text?
    package var agreement: Text?
    /// Another reference that leads to the order.
    package var alias: Text?
    /// References and ids of orders that are part of this one from now on.
    package var absorbed: [Text] = []
    package var absorbedIDs: [Text] = []
    /// Other orders that have changed with this one.
    package var touched: [Touched] = []

    package struct Touched: Equatable {
        /// The first record of one that begins with this change; 0 of one that was there.
        package var first: UInt64 = 0
        package var reference: Text?
        package var id: Text?
    }
    /// The flags with a comma before and after each, so that one is found by its text; empty when
    /// there is none.
    package var flags: Text = 0..<0
    package var expected: Amount?
    package var expires: Timestamp?
    package var metadata: Text?

    package init() {}

    /// From a record of exactly the layout that `RecordEncoder` writes, without escapes, flags and
    /// alias: nearly all are. Nil for any other. The places are the record's own.
    package init?(quickly record: UnsafeRawBufferPointer) {
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
        var named: Text?
        if cursor.take(#","reference":""#) {
            named = cursor.place()
            guard named != nil else { return nil }
        }
        guard !cursor.take(#","alias":""#), cursor.skipObject(), cursor.take(#","order":{"#) else {
            return nil
        }
        self.sequence = UInt64(clamping: sequence)
        self.received = received
        self.endpoint = endpoint
        guard readOrder(&cursor), reference != nil || transaction != nil else { return nil }
        // What came with another reference than the order's own has an alias.
        if let named, !record[named].elementsEqual(reference.map { record[$0] } ?? record[0..<0]) {
            return nil
        }
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
        if cursor.take(#","method":""#) {
            method = cursor.place()
            guard method != nil else { return false }
        }
        if cursor.take(#","agreement":""#) {
            agreement = cursor.place()
            guard agreement != nil else { return false }
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

/// An order entry as the general scanner reads it, of any record: the texts are put together in
/// `bytes`.
package struct OrderEntryDraft {
    package private(set) var entry = OrderEntry()
    /// What the entry's places are places of.
    package private(set) var bytes: [UInt8] = []
    /// Whether the record is about an order.
    package private(set) var hasOrder = false
    /// Whether the record corrects another.
    package private(set) var isCorrection = false

    /// Throws when it is not a record.
    package init(_ record: UnsafeRawBufferPointer) throws(JSONError) {
        var scanner = JSONScanner(record)
        try scanner.beginObject()
        // The request is last and is most of the record.
        while let member = try scanner.nextKey(), member != "request" {
            if member == "inquiry" { break }
            switch member {
            case "sequence": entry.sequence = UInt64(clamping: try scanner.int64())
            case "received":
                entry.received = Timestamp(iso8601: try scanner.string()) ?? entry.received
            case "corrects":
                isCorrection = true
                try scanner.skipValue()
            case "endpoint": entry.endpoint = keep(try scanner.string())
            case "flags": try readFlags(&scanner)
            case "event": try readEvent(&scanner)
            case "order": try readOrder(&scanner)
            default: try scanner.skipValue()
            }
        }
        hasOrder = entry.reference != nil || entry.transaction != nil
        if hasOrder, entry.alias == nil, let named,
            !bytes[named].elementsEqual(entry.reference.map { bytes[$0] } ?? [])
        {
            entry.alias = named
        }
    }

    /// The text at one of the entry's places.
    package func text(_ place: OrderEntry.Text) -> String {
        String(decoding: bytes[place], as: UTF8.self)
    }

    private mutating func keep(_ text: String) -> OrderEntry.Text {
        let start = bytes.count
        bytes += text.utf8
        return start..<bytes.count
    }

    private mutating func readFlags(_ scanner: inout JSONScanner) throws(JSONError) {
        var flags = ""
        try scanner.beginArray()
        while try scanner.nextElement() {
            flags += flags.isEmpty ? "," : ""
            flags += "\(try scanner.string()),"
        }
        entry.flags = keep(flags)
    }

    /// The reference that the event names, which may be another one than the order's.
    private var named: OrderEntry.Text?

    private mutating func readEvent(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            if member == "alias" {
                entry.alias = keep(try scanner.string())
                continue
            }
            if member == "reference" {
                named = keep(try scanner.string())
                continue
            }
            guard member == "expectation" else {
                try scanner.skipValue()
                continue
            }
            try scanner.beginObject()
            while let part = try scanner.nextKey() {
                switch part {
                case "amount": entry.expected = try amount(&scanner)
                case "expires": entry.expires = Timestamp(iso8601: try scanner.string())
                case "metadata":
                    let start = bytes.count
                    bytes += scanner.bytes(in: try scanner.skipValue())
                    entry.metadata = start..<bytes.count
                default: try scanner.skipValue()
                }
            }
        }
    }

    private mutating func readOrder(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "reference": entry.reference = keep(try scanner.string())
            case "transaction": entry.transaction = keep(try scanner.string())
            case "status": entry.status = keep(try scanner.string())
            case "amount": entry.amount = try amount(&scanner)
            case "refunded": entry.refunded = try amount(&scanner)
            case "authorized": entry.authorized = try amount(&scanner)
            case "captured": entry.captured = try amount(&scanner)
            case "reason": try readReason(&scanner)
            case "method": entry.method = keep(try scanner.string())
            case "agreement": entry.agreement = keep(try scanner.string())
            case "absorbed": entry.absorbed = try texts(&scanner)
            case "absorbedIDs": entry.absorbedIDs = try texts(&scanner)
            case "touched": try readTouched(&scanner)
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func readTouched(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginArray()
        while try scanner.nextElement() {
            var touched = OrderEntry.Touched()
            try scanner.beginObject()
            while let member = try scanner.nextKey() {
                switch member {
                case "first": touched.first = UInt64(clamping: try scanner.int64())
                case "reference": touched.reference = keep(try scanner.string())
                case "id": touched.id = keep(try scanner.string())
                default: try scanner.skipValue()
                }
            }
            entry.touched.append(touched)
        }
    }

    private mutating func readReason(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "code": entry.reasonCode = keep(try scanner.string())
            case "message": entry.reasonMessage = keep(try scanner.string())
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func texts(_ scanner: inout JSONScanner) throws(JSONError) -> [OrderEntry.Text]
    {
        var texts: [OrderEntry.Text] = []
        try scanner.beginArray()
        while try scanner.nextElement() { texts.append(keep(try scanner.string())) }
        return texts
    }

    private mutating func amount(
        _ scanner: inout JSONScanner
    ) throws(JSONError) -> OrderEntry.Amount? {
        var minor: Int64?
        var currency: String?
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "minor": minor = try scanner.int64()
            case "currency": currency = try scanner.string()
            default: try scanner.skipValue()
            }
        }
        guard let minor, let currency else { return nil }
        return OrderEntry.Amount(minor: minor, currency: keep(currency))
    }
}
