/// Why a key could not be used. `description` explains each case to the person who configures it
/// and never repeats any part of the key.
package enum KeyError: Error, Equatable, Sendable {
    /// The text is empty, e.g. an empty file.
    case empty
    /// A private key was given where a public key belongs.
    case privateKeyGiven
    /// A public key was given where a private key is needed.
    case publicKeyGiven
    /// A certificate (or a request for one) was given where a bare key belongs.
    case certificateGiven
    /// The private key is protected by a passphrase, which cannot be entered here.
    case encrypted
    /// Neither PEM nor strict Base64 (RFC 4648 section 4).
    case notBase64
    /// The Base64 is valid, but does not encode a key.
    case malformed
    /// A valid key of another algorithm, e.g. EC, or RSA restricted to PSS.
    case notRSA
    /// An RSA modulus of fewer than `RSAPublicKey.bitsMin` bits.
    case tooSmall
    /// An RSA modulus of more than `RSAPublicKey.bitsMax` bits.
    case tooLarge
    /// An RSA public exponent that is even, below 3, or longer than 64 bits.
    case badExponent
    /// A symmetric key of the wrong length, in bytes.
    case wrongLength(expected: Int, given: Int)
    /// OpenSSL failed in an operation that cannot fail with a valid key: memory or entropy is
    /// missing.
    case operationFailed

    /// The snake_case code for logs and metrics.
    package var reason: String {
        switch self {
        case .empty: "key_empty"
        case .privateKeyGiven: "key_private"
        case .publicKeyGiven: "key_public"
        case .certificateGiven: "key_certificate"
        case .encrypted: "key_encrypted"
        case .notBase64: "key_not_base64"
        case .malformed: "key_malformed"
        case .notRSA: "key_not_rsa"
        case .tooSmall: "key_too_small"
        case .tooLarge: "key_too_large"
        case .badExponent: "key_exponent"
        case .wrongLength: "key_length"
        case .operationFailed: "key_operation"
        }
    }
}

extension KeyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty:
            "The key is empty."
        case .privateKeyGiven:
            """
            This is a private key. Give the provider's public key here, and keep private keys away \
            from it.
            """
        case .publicKeyGiven:
            "This is a public key, but signing needs the private key."
        case .certificateGiven:
            "This is a certificate. Give the public key inside it (openssl x509 -pubkey -noout)."
        case .encrypted:
            "The private key is protected by a passphrase. Give it without one."
        case .notBase64:
            "The key is neither PEM nor Base64 of a DER key."
        case .malformed:
            "The Base64 text decodes, but not to a public key in DER form."
        case .notRSA:
            "This is a sound key, but no RSA key for PKCS#1 v1.5 signatures."
        case .tooSmall:
            "The RSA key has fewer than \(RSAPublicKey.bitsMin) bits."
        case .tooLarge:
            "The RSA key has more than \(RSAPublicKey.bitsMax) bits."
        case .badExponent:
            "The RSA key's public exponent is not an odd number of 3 or more in at most 64 bits."
        case .wrongLength(let expected, let given):
            "The key must have \(expected) bytes, and this one has \(given)."
        case .operationFailed:
            "OpenSSL could not carry out the operation (out of memory or of entropy)."
        }
    }
}
