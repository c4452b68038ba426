import Bytes
import Cryptography
import JSON
import Payments

/// The canonical text that makes two deliveries the same event (`event.id`).
enum EventIdentity {
    /// Returns `parts` joined by `:`. Percent signs and colons inside a part are escaped, so that
    /// different lists never give the same text; an absent part is empty.
    static func text(_ parts: String?...) -> String { text(parts) }

    static func text(_ parts: [String?]) -> String {
        var byteCount = max(parts.count - 1, 0)
        for case let part? in parts { byteCount += escapedCount(part.utf8.span) }
        return String(unsafeUninitializedCapacity: byteCount) { output in
            var end = 0
            for (index, part) in parts.enumerated() {
                if index > 0 {
                    output[end] = UInt8(ascii: ":")
                    end += 1
                }
                if let part { write(part.utf8.span, to: output, at: &end) }
            }
            return end
        }
    }

    /// Returns the identity of an event without an id: a digest of the signed bytes. A retry
    /// repeats them, even if its headers differ.
    static func digest(of bytes: [UInt8]) -> String {
        Hex.encode(SHA256.hash(bytes))
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%")
    }

    /// Returns the length of a part with its escapes, which take three bytes each.
    private static func escapedCount(_ part: Span<UInt8>) -> Int {
        var count = part.count
        for offset in part.indices where isSeparator(part[offset]) { count += 2 }
        return count
    }

    private static func write(
        _ part: Span<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>, at end: inout Int
    ) {
        guard escapedCount(part) > part.count else {
            part.withUnsafeBufferPointer { bytes in
                _ = output[end...].update(fromContentsOf: bytes)
            }
            end += part.count
            return
        }
        for offset in part.indices {
            let byte = part[offset]
            if isSeparator(byte) {
                output[end] = UInt8(ascii: "%")
                output[end + 1] = byte == UInt8(ascii: ":") ? UInt8(ascii: "3") : UInt8(ascii: "2")
                output[end + 2] = byte == UInt8(ascii: ":") ? UInt8(ascii: "A") : UInt8(ascii: "5")
                end += 3
            } else {
                output[end] = byte
                end += 1
            }
        }
    }
}

extension JSONValue {
    /// The text of an id, a status or another word: a string that is not empty, at most
    /// ``wordBytesMax`` long and free of control characters. Nil for anything else, so a field of
    /// the wrong type counts as absent.
    var word: String? { string { $0.isWord } }

    /// The ``word``, or the literal text of a number: for systems that write some ids as numbers.
    var wordOrNumber: String? {
        guard kind == .number else { return word }
        guard let lexeme, lexeme.utf8.count <= wordBytesMax else { return nil }
        return lexeme
    }
}

extension Notification {
    /// Returns the event of a genuine notification that these rules cannot read. It is recorded raw
    /// and acknowledged, because a retry would not make it readable, and it changes nothing. If it
    /// names an order and makes a claim about its money, `effect` is ``Effect/doubt``, which puts
    /// that order into `review`.
    ///
    /// - Parameter signed: The bytes that were signed; they are its identity.
    static func notUnderstood(
        kind: String = "unknown", status: String = "not_understood", reference: String? = nil,
        transaction: String? = nil, effect: Effect = .none, ids: IDSpace = .account,
        signed: [UInt8], flags: [Flag] = [.notUnderstood]
    ) -> Notification {
        Notification(
            id: EventIdentity.text(kind, status, EventIdentity.digest(of: signed)), kind: kind,
            status: status, reference: reference, transaction: transaction,
            effect: reference == nil && transaction == nil ? .none : effect, ids: ids,
            flags: flags)
    }
}
