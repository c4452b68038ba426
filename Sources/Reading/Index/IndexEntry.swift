import JSON
import Payments

/// What the index takes from a record: the order as the record says it is after the event.
struct IndexEntry: Equatable {
    var sequence: UInt64 = 0
    var received = Timestamp(microseconds: 0)
    var endpoint = ""
    var reference: String?
    var transaction: String?
    var status = ""
    var amount: Money?
    var refunded: Money?
    /// The flags with a comma before and after each, so that one is found by its text; empty when
    /// there is none.
    var flags = ""
    var expected: Money?
    var expires: Timestamp?
    var metadata: [UInt8] = []

    /// Nil when the record is about no order. Throws when it is no record.
    init?(_ record: UnsafeRawBufferPointer) throws(JSONError) {
        var hasOrder = false
        var scanner = JSONScanner(record)
        try scanner.beginObject()
        // The request stands last and is most of the record.
        while let member = try scanner.nextKey(), member != "request" {
            switch member {
            case "sequence": sequence = UInt64(clamping: try scanner.int64())
            case "received":
                received = Timestamp(iso8601: try scanner.string()) ?? received
            case "endpoint": endpoint = try scanner.string()
            case "flags": try readFlags(&scanner)
            case "event": try readEvent(&scanner)
            case "order":
                hasOrder = true
                try readOrder(&scanner)
            default: try scanner.skipValue()
            }
        }
        guard hasOrder, reference != nil || transaction != nil else { return nil }
    }

    private mutating func readFlags(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginArray()
        while try scanner.nextElement() {
            flags += flags.isEmpty ? "," : ""
            flags += "\(try scanner.string()),"
        }
    }

    private mutating func readEvent(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            guard member == "expectation" else {
                try scanner.skipValue()
                continue
            }
            try scanner.beginObject()
            while let part = try scanner.nextKey() {
                switch part {
                case "amount": expected = try Self.money(&scanner)
                case "expires": expires = Timestamp(iso8601: try scanner.string())
                case "metadata": metadata = scanner.bytes(in: try scanner.skipValue())
                default: try scanner.skipValue()
                }
            }
        }
    }

    private mutating func readOrder(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "reference": reference = try scanner.string()
            case "transaction": transaction = try scanner.string()
            case "status": status = try scanner.string()
            case "amount": amount = try Self.money(&scanner)
            case "refunded": refunded = try Self.money(&scanner)
            default: try scanner.skipValue()
            }
        }
    }

    private static func money(_ scanner: inout JSONScanner) throws(JSONError) -> Money? {
        var minor: Int64?
        var currency: Currency?
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "minor": minor = try scanner.int64()
            case "currency": currency = Currency(try scanner.string())
            default: try scanner.skipValue()
            }
        }
        guard let minor, let currency else { return nil }
        return Money(minor: minor, currency: currency)
    }
}
