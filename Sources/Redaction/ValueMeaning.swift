/// The meaning of a value, by the name of its JSON member, form field or header. Case and
/// the characters `_`, `-` and `.` do not count: `card_security_code` is `cardSecurityCode`.
struct ValueMeaning: Equatable {
    private let letters: [UInt8]

    /// - Parameter name: Its UTF-8.
    init(_ name: some Sequence<UInt8>) {
        letters = name.compactMap { byte in
            switch byte {
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "["),
                UInt8(ascii: "]"):
                nil
            case 0x41...0x5A: byte | 0x20
            default: byte
            }
        }
    }

    init(_ name: String) { self.init(name.utf8) }

    /// Whether the value is an id or a time, which may look like a card number: `transactionId`,
    /// `merchant_reference`, `created_at`, but not `cardNumber`.
    var isOfID: Bool {
        !Self.cards.contains { contains($0) } && Self.ids.contains { letters.ends(with: $0) }
    }

    /// Whether the value is a card's security code, which PCI DSS 4.0.1, requirement 3.3.1, forbids
    /// to keep after the authorisation.
    var isOfSecurityCode: Bool { Self.codes.contains { letters.ends(with: $0) } }

    private static let cards = ["card", "pan", "ccnumber"].map { Array($0.utf8) }
    private static let ids = [
        "id", "ids", "uid", "uuid", "guid", "reference", "ref", "key", "nonce", "time", "timestamp",
        "date", "at", "orderno", "tradeno", "transactionno", "order", "hash", "signature", "sign",
        "arn", "rrn", "trace",
    ].map { Array($0.utf8) }
    private static let codes = [
        "cvv", "cvv2", "cvc", "cvc2", "cvn", "cvn2", "csc", "securitycode",
    ].map { Array($0.utf8) }

    private func contains(_ part: [UInt8]) -> Bool {
        guard letters.count >= part.count else { return false }
        return (0...letters.count - part.count).contains { letters[$0...].starts(with: part) }
    }
}

extension [UInt8] {
    fileprivate func ends(with part: [UInt8]) -> Bool { suffix(part.count).elementsEqual(part) }
}
