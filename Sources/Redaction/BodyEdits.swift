import Bytes
import JSON

/// Replacements in a text, found in the order of the text and made at once.
struct BodyEdits {
    private var edits: [(place: Range<Int>, bytes: [UInt8])] = []

    var isEmpty: Bool { edits.isEmpty }

    /// - Parameter place: After the places of all earlier edits.
    mutating func replace(_ place: Range<Int>, with bytes: [UInt8]) {
        edits.append((place, bytes))
    }

    /// The text with all replacements made.
    func applied(to text: ArraySlice<UInt8>) -> [UInt8] {
        var edited: [UInt8] = []
        edited.reserveCapacity(text.count + 32 * edits.count)
        var offset = text.startIndex
        for (place, bytes) in edits {
            edited += text[offset..<place.lowerBound]
            edited += bytes
            offset = place.upperBound
        }
        return edited + text[offset...]
    }
}
