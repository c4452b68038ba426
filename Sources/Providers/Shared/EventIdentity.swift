import Cryptography

/// The canonical text that makes two deliveries the same event (`event.id`).
enum EventIdentity {
    /// `parts` joined by `:`. Percent signs and colons inside a part are escaped, so that different
    /// lists never give the same text; an absent part is an empty one.
    static func text(_ parts: String?...) -> String { text(parts) }

    static func text(_ parts: [String?]) -> String {
        var joined = ""
        joined.reserveCapacity(96)
        for (index, part) in parts.enumerated() {
            if index > 0 { joined.append(":") }
            append(part ?? "", to: &joined)
        }
        return joined
    }

    /// A further part for those events only that have it.
    static func suffix(_ part: String?) -> String {
        part.map { text("", $0) } ?? ""
    }

    /// Identity of something that names none: the signed bytes themselves. A retry repeats them
    /// even where its headers are new.
    static func digest(of bytes: [UInt8]) -> String {
        Hex.encode(SHA256.hash(bytes))
    }

    private static func append(_ part: String, to joined: inout String) {
        guard needsEscape(part) else { return joined.append(part) }
        for scalar in part.unicodeScalars {
            switch scalar {
            case ":": joined.append("%3A")
            case "%": joined.append("%25")
            default: joined.unicodeScalars.append(scalar)
            }
        }
    }

    /// Over the bytes where they lie: every notification comes through here with four parts or so.
    private static func needsEscape(_ part: String) -> Bool {
        func isSeparator(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%")
        }
        return part.utf8.withContiguousStorageIfAvailable { $0.contains(where: isSeparator) }
            ?? part.utf8.contains(where: isSeparator)
    }
}
