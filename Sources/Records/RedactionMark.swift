import Bytes
import JSON

/// Counts of the parts that were removed from a request or an answer before it was stored.
package struct RedactionMark: Sendable, Equatable {
    /// Members that the endpoint's `redact` names.
    package var values = 0
    /// Full card numbers, of which the first six and the last four digits are kept.
    package var cards = 0
    /// Security codes.
    package var codes = 0
    /// SHA-256 of the body as received: whoever still has the original, such as the provider, can
    /// show that it is the one that was verified.
    package var bodySHA256: [UInt8] = []

    package init() {}

    package var isEmpty: Bool { values == 0 && cards == 0 && codes == 0 }

    /// Appends the member `redacted`, with the comma before it.
    func append(to bytes: inout [UInt8]) {
        bytes.write(atMost: 128 + RecordWriter.room(bodySHA256.count * 2)) { writer in
            writer.fragment(#","redacted":{"values":"#)
            writer.integer(Int64(values))
            writer.fragment(#","cards":"#)
            writer.integer(Int64(cards))
            writer.fragment(#","codes":"#)
            writer.integer(Int64(codes))
            writer.text(#","bodySHA256":"#, Hex.encode(bodySHA256))
            writer.fragment("}")
        }
    }
}

/// The member `redacted`, as read.
extension RedactionMark {
    init(from scanner: inout JSONScanner) throws(JSONError) {
        self.init()
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "values": values = Int(clamping: try scanner.int64())
            case "cards": cards = Int(clamping: try scanner.int64())
            case "codes": codes = Int(clamping: try scanner.int64())
            case "bodySHA256": bodySHA256 = Hex.decode(try scanner.string()) ?? []
            default: try scanner.skipValue()
            }
        }
    }
}
