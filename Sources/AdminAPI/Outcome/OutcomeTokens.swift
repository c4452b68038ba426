import Bytes
import Cryptography
import Payments
import Platform
import Store

/// Makes and reads the tokens by which a shopper's app asks about one order.
///
/// A token is `base64url(IV ‖ ciphertext ‖ tag)` under AES-256-GCM: it can neither be forged nor
/// read, so it tells the shopper no reference. The plaintext is the expiry in seconds since 1970
/// (8 bytes, big-endian), the length of the endpoint's name (2 bytes), the name and the reference.
package struct OutcomeTokens: Sendable {
    /// The first one makes tokens; all of them read some.
    private let keys: [AES256GCM]
    private let seconds: Int64

    /// Length of the longest token, in bytes: far above that of the longest reference and name.
    static let lengthMax = 1024
    /// IV, tag, expiry and length.
    private static let fixedBytes = AES256GCM.ivBytes + AES256GCM.tagBytes + 10

    /// - Parameters:
    ///   - secrets: The current one first.
    ///   - hours: Time for which a token is good.
    package init(secrets: [[UInt8]], hours: Int) {
        // A key of the right length cannot be refused.
        keys = secrets.compactMap { secret in
            try? AES256GCM(
                key: HMAC.code(.sha256, key: secret, message: Array("ipnd outcome 1".utf8)))
        }
        seconds = Int64(hours) * 3600
    }

    /// A token for an order. Two calls give two tokens. Nil if memory runs out.
    func make(_ name: OrderName, now: Timestamp) -> String? {
        var plaintext: [UInt8] = []
        Self.append(UInt64(now.microseconds / 1_000_000 + seconds), bytes: 8, to: &plaintext)
        Self.append(UInt64(name.endpoint.utf8.count), bytes: 2, to: &plaintext)
        plaintext += Array(name.endpoint.utf8) + Array(name.reference.utf8)
        let iv = secureRandomBytes(AES256GCM.ivBytes)
        guard let sealed = try? keys.first?.seal(plaintext: plaintext, iv: iv) else { return nil }
        return Self.urlSafe(Base64.encode(iv + sealed.ciphertext + sealed.tag))
    }

    /// The order that a token is about.
    ///
    /// Throws `token_invalid` for a token of another secret, `token_expired` for an old one.
    func read(_ token: ArraySlice<UInt8>, now: Timestamp) throws(Problem) -> OrderName {
        guard token.count <= Self.lengthMax, let bytes = Self.decoded(token),
            bytes.count >= Self.fixedBytes, let plaintext = opened(bytes)
        else { throw Problem(404, "token_invalid", "this is no token of this server") }
        let expiry = Self.number(plaintext[0..<8])
        let length = Int(Self.number(plaintext[8..<10]))
        guard plaintext.count >= 10 + length else {
            throw Problem(404, "token_invalid", "this is no token of this server")
        }
        guard now.microseconds / 1_000_000 < Int64(clamping: expiry) else {
            throw Problem(410, "token_expired", "the token has expired")
        }
        return OrderName(
            endpoint: String(decoding: plaintext[10..<10 + length], as: UTF8.self),
            reference: String(decoding: plaintext[(10 + length)...], as: UTF8.self))
    }

    private func opened(_ bytes: [UInt8]) -> [UInt8]? {
        let iv = Array(bytes.prefix(AES256GCM.ivBytes))
        let tag = Array(bytes.suffix(AES256GCM.tagBytes))
        let ciphertext = Array(bytes.dropFirst(iv.count).dropLast(tag.count))
        for key in keys {
            if let found = key.open(ciphertext: ciphertext, iv: iv, tag: tag) { return found }
        }
        return nil
    }

    private static func append(_ number: UInt64, bytes count: Int, to bytes: inout [UInt8]) {
        for place in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place))))
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Base64 with the alphabet for URLs and without padding (RFC 4648 §5).
    private static func urlSafe(_ text: String) -> String {
        String(
            decoding: text.utf8.filter { $0 != UInt8(ascii: "=") }.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }, as: UTF8.self)
    }

    private static func decoded(_ token: ArraySlice<UInt8>) -> [UInt8]? {
        var text = token.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            // Only one spelling of a token is good.
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): UInt8(ascii: "!")
            default: byte
            }
        }
        while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return Base64.decode(strict: text[...])
    }
}
