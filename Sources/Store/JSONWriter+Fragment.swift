import JSON
import Payments

/// What a record is made of beside values: its members' names never change, so they are written
/// with the punctuation around them, several at a time.
extension JSONWriter {
    /// Appends punctuation and names as they stand; a value may come next.
    mutating func fragment(_ text: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        restart()
    }

    /// A moment between quotes that the caller writes.
    mutating func moment(_ moment: Timestamp) { moment.appendRFC3339(to: &bytes) }

    /// An amount, with the comma and name before it; nothing when there is none.
    mutating func amount(_ name: StaticString, _ amount: Money?) {
        guard let amount else { return }
        fragment(name)
        fragment(#"{"minor":"#)
        integer(amount.minor)
        fragment(#","currency":""#)
        // Letters need no escaping, and the code as a string would cost two allocations.
        let index = amount.currency.index
        for letter in [index / 676, index / 26 % 26, index % 26] {
            bytes.append(UInt8(ascii: "A") + UInt8(letter))
        }
        fragment(#""}"#)
    }

    /// A text member, with the comma and name before it; nothing when there is none.
    mutating func text(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        fragment(name)
        string(text)
    }

    /// A list of flags.
    mutating func flags(_ flags: [Flag]) {
        fragment("[")
        for flag in flags { string(flag.rawValue) }
        fragment("]")
    }
}
