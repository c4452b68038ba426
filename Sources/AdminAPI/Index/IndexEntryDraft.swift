import JSON
import Payments

/// An entry as the general scanner reads it, of any record: the texts are put together in `bytes`.
struct IndexEntryDraft {
    private(set) var entry = IndexEntry()
    /// What the entry's places are places of.
    private(set) var bytes: [UInt8] = []
    /// Whether the record is about an order.
    private(set) var hasOrder = false
    /// Whether the record corrects another.
    private(set) var isCorrection = false

    /// Throws when it is no record.
    init(_ record: UnsafeRawBufferPointer) throws(JSONError) {
        var scanner = JSONScanner(record)
        try scanner.beginObject()
        // The request stands last and is most of the record.
        while let member = try scanner.nextKey(), member != "request" {
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
    }

    private mutating func keep(_ text: String) -> IndexEntry.Text {
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

    private mutating func readEvent(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            if member == "alias" {
                entry.alias = keep(try scanner.string())
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
            case "absorbed": entry.absorbed = try texts(&scanner)
            case "absorbedIDs": entry.absorbedIDs = try texts(&scanner)
            default: try scanner.skipValue()
            }
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

    private mutating func texts(_ scanner: inout JSONScanner) throws(JSONError) -> [IndexEntry.Text]
    {
        var texts: [IndexEntry.Text] = []
        try scanner.beginArray()
        while try scanner.nextElement() { texts.append(keep(try scanner.string())) }
        return texts
    }

    private mutating func amount(
        _ scanner: inout JSONScanner
    ) throws(JSONError) -> IndexEntry.Amount? {
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
        return IndexEntry.Amount(minor: minor, currency: keep(currency))
    }
}
