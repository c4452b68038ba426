import Bytes

/// What a person gives as a public key, taken out of its text form: which DER structure, and its
/// bytes.
struct PublicKeyText {
    enum Form: Equatable {
        /// `SubjectPublicKeyInfo` (RFC 5280 section 4.1), what "PUBLIC KEY" announces.
        case spki
        /// `RSAPublicKey` (RFC 8017 appendix A.1.1), what "RSA PUBLIC KEY" announces.
        case pkcs1
        /// Bare Base64 announces nothing.
        case unannounced
    }

    let form: Form
    let der: [UInt8]

    /// Reads one PEM block (RFC 7468; text around it is allowed there, and so is a block that lost
    /// its line breaks on the way through an environment variable), or Base64 alone with line
    /// breaks anywhere.
    ///
    /// - Throws: `KeyError` for a private key anywhere in the text, another kind of PEM block, or
    ///   unsound Base64.
    init(_ text: String) throws(KeyError) {
        // Nothing else in the text matters once a private key is in the wrong place.
        if text.contains("PRIVATE KEY-----") { throw .privateKeyGiven }
        guard let begin = text.firstRange(of: "-----BEGIN ") else {
            form = .unannounced
            der = try Self.decode(text[...])
            return
        }
        let afterBegin = text[begin.upperBound...]
        guard let labelEnd = afterBegin.firstRange(of: "-----") else { throw .notBase64 }
        let label = afterBegin[..<labelEnd.lowerBound]
        switch label {
        case "PUBLIC KEY": form = .spki
        case "RSA PUBLIC KEY": form = .pkcs1
        case _ where label.contains("CERTIFICATE"): throw .certificateGiven
        case _ where label.contains("PUBLIC KEY"): throw .notRSA
        default: throw .malformed
        }
        let body = afterBegin[labelEnd.upperBound...]
        guard let end = body.firstRange(of: "-----END \(label)-----") else { throw .notBase64 }
        der = try Self.decode(body[..<end.lowerBound])
    }

    private static func decode(_ text: Substring) throws(KeyError) -> [UInt8] {
        // A byte order mark is what some editors put in front of everything.
        let withoutMark = text.first == "\u{feff}" ? text.dropFirst() : text
        let digits = withoutMark.utf8.filter { byte in
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                false
            default: true
            }
        }
        if digits.isEmpty { throw .empty }
        guard let der = Base64.decode(strict: digits[...]) else { throw .notBase64 }
        return der
    }
}
