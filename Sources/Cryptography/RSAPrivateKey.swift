import Bytes
import COpenSSL

/// The provider's side of a signature, for sandboxes and tests: `ipnd init` makes one, `ipnd send`
/// signs with it.
///
/// No description shows the key. OpenSSL wipes its copy with the last reference; `pem` is a
/// `String`, which cannot be wiped, but these keys are for sandboxes only.
package struct RSAPrivateKey: Sendable {
    /// The private key, PKCS#8 in PEM. Secret.
    package let pem: String
    /// The public half, SPKI in PEM.
    package let publicKeyPEM: String
    /// The public half, SPKI in Base64 on one line, as the providers' dashboards show it.
    package let publicKeyBase64DER: String

    /// OpenSSL's own form.
    let handle: KeyHandle
    private let modulusBytes: Int
    private let contexts: ContextPool

    /// Generates a key of `bits` bits with the exponent 65537.
    ///
    /// - Throws: `KeyError.tooSmall`, `.tooLarge`, or `.operationFailed` if OpenSSL has no entropy.
    package static func generate(bits: Int = 2048) throws(KeyError) -> RSAPrivateKey {
        if bits < RSAPublicKey.bitsMin { throw .tooSmall }
        if bits > RSAPublicKey.bitsMax { throw .tooLarge }
        defer { ERR_clear_error() }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else {
            throw .operationFailed
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw .operationFailed }
        return try RSAPrivateKey(KeyHandle(owning: key))
    }

    /// Reads a private key in PEM, PKCS#8 or PKCS#1, without a passphrase.
    ///
    /// - Throws: `KeyError`; for a public key `.publicKeyGiven`.
    package init(pem text: String) throws(KeyError) {
        if text.allSatisfy(\.isWhitespace) { throw .empty }
        if text.contains("ENCRYPTED") { throw .encrypted }
        guard text.contains("PRIVATE KEY-----") else {
            throw text.contains("PUBLIC KEY-----") ? .publicKeyGiven : .notBase64
        }
        defer { ERR_clear_error() }
        var bytes = Array(text.utf8)
        let key = bytes.withUnsafeMutableBytes { bytes -> OpaquePointer? in
            defer { OPENSSL_cleanse(bytes.baseAddress, bytes.count) }
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return nil
            }
            defer { BIO_free(bio) }
            // Without this callback OpenSSL would prompt for a passphrase on the terminal.
            return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key else { throw .malformed }
        self = try RSAPrivateKey(KeyHandle(owning: key))
    }

    /// Reads a private key in PEM, or as the bare Base64 of its DER (PKCS#8 or PKCS#1), which some
    /// dashboards show.
    ///
    /// - Throws: `KeyError`; for a public key `.publicKeyGiven`.
    package init(text: String) throws(KeyError) {
        if text.contains("-----") {
            self = try RSAPrivateKey(pem: text)
            return
        }
        let digits = text.filter { !$0.isWhitespace }
        if digits.isEmpty { throw .empty }
        guard Base64.decode(strict: Array(digits.utf8)[...]) != nil else { throw .notBase64 }
        // RFC 7468 breaks lines at 64 characters, and some readers require it.
        let lines = stride(from: 0, to: digits.count, by: 64).map { start in
            digits.dropFirst(start).prefix(64)
        }.joined(separator: "\n")
        for label in ["PRIVATE KEY", "RSA PRIVATE KEY"] {
            let pem = "-----BEGIN \(label)-----\n\(lines)\n-----END \(label)-----\n"
            do throws(KeyError) {
                self = try RSAPrivateKey(pem: pem)
                return
            } catch {
                if error != .malformed { throw error }
            }
        }
        throw (try? RSAPublicKey(text: text)) == nil ? .malformed : .publicKeyGiven
    }

    /// The RSASSA-PKCS1-v1_5 signature with SHA-256 over `message` (RFC 8017 section 8.2.1). It is
    /// as long as the modulus.
    ///
    /// - Throws: `KeyError.operationFailed` if memory or entropy is missing.
    package func signSHA256(_ message: [UInt8]) throws(KeyError) -> [UInt8] {
        let digest = SHA256.hash(message)
        var length = modulusBytes
        var signature = [UInt8](repeating: 0, count: length)
        let signed = contexts.withContext { context in
            EVP_PKEY_sign(context, &signature, &length, digest, digest.count)
        }
        guard signed == 1, length == modulusBytes else {
            ERR_clear_error()
            throw .operationFailed
        }
        return signature
    }

    private init(_ key: KeyHandle) throws(KeyError) {
        try key.requireSoundRSA()
        handle = key
        modulusBytes = Int(EVP_PKEY_get_size(key.pointer))
        contexts = key.signatureContexts { EVP_PKEY_sign_init($0) }
        pem = try Self.text { bio in
            PEM_write_bio_PKCS8PrivateKey(bio, key.pointer, nil, nil, 0, nil, nil)
        }
        publicKeyPEM = try Self.text { bio in PEM_write_bio_PUBKEY(bio, key.pointer) }
        publicKeyBase64DER = Base64.encode(try PublicKeyText(publicKeyPEM).der)
    }

    /// The text that `write` puts into a memory BIO. Freeing it wipes the memory (`BUF_MEM_free`
    /// clears before it frees).
    static func text(_ write: (OpaquePointer) -> Int32) throws(KeyError) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { throw .operationFailed }
        defer { BIO_free(bio) }
        var data: UnsafeMutablePointer<CChar>?
        guard write(bio) == 1 else { throw .operationFailed }
        let count = ipnd_BIO_get_mem_data(bio, &data)
        return String(decoding: UnsafeRawBufferPointer(start: data, count: count), as: UTF8.self)
    }
}

extension RSAPrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "RSAPrivateKey(\(modulusBytes * 8) bits)" }
    package var debugDescription: String { description }
    /// No children, so that `dump` and string interpolation of a containing value do not show the
    /// key either.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
