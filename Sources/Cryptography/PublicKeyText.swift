import Bytes

/// A public key extracted from its text form: its bytes and their DER structure.
struct PublicKeyText {
    enum Form: Equatable {
        /// `SubjectPublicKeyInfo` (RFC 5280 section 4.1), labelled "PUBLIC KEY".
        case spki
        /// `RSAPublicKey` (RFC 8017 appendix A.1.1), labelled "RSA PUBLIC KEY".
        case pkcs1
        /// Bare Base64, without a label.
        case unannounced
    }

    let form: Form
    let der: [UInt8]

    /// Reads one PEM block (RFC 7468), or Base64 alone with line breaks anywhere. Text around the
    /// block is allowed, and so is a block that lost its line breaks in an environment variable.
    ///
    /// - Throws: `KeyError` for a private key anywhere in the text, another kind of PEM block, or
    ///   invalid Base64.
    init(_ text: String) throws(KeyError) {
        // A private key in the wrong place is reported before anything else.
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
        // Some editors begin a file with a byte order mark.
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
