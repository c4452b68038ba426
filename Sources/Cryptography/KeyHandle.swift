import COpenSSL

/// Owns one reference to an OpenSSL key. Freeing the last one wipes private numbers
/// (`BN_clear_free` inside OpenSSL).
///
/// `@unchecked Sendable` is sound: the key is never changed after it was made, and OpenSSL 3 allows
/// any number of threads to use one `EVP_PKEY` through separate contexts (its cached Montgomery
/// numbers are computed under the key's lock).
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Contexts for PKCS#1 v1.5 (RFC 8017 section 8.2) with a hash function of OpenSSL;
    /// `initialize` sets them up for verifying or signing.
    func signatureContexts(
        _ digest: @escaping @Sendable () -> OpaquePointer? = EVP_sha256,
        _ initialize: @escaping @Sendable (OpaquePointer?) -> Int32
    ) -> ContextPool {
        ContextPool(
            make: { [self] in
                guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else {
                    return nil
                }
                guard initialize(context) == 1,
                    EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1,
                    EVP_PKEY_CTX_set_signature_md(context, digest()) == 1
                else {
                    EVP_PKEY_CTX_free(context)
                    ERR_clear_error()
                    return nil
                }
                return context
            },
            destroy: { EVP_PKEY_CTX_free($0) })
    }

    /// Throws unless this is an RSA key of a safe length and exponent.
    func requireSoundRSA() throws(KeyError) {
        // A key restricted to PSS is EVP_PKEY_RSA_PSS and cannot create the providers' signatures.
        guard EVP_PKEY_get_base_id(pointer) == EVP_PKEY_RSA else { throw .notRSA }
        let bits = EVP_PKEY_get_bits(pointer)
        if bits < RSAPublicKey.bitsMin { throw .tooSmall }
        // OpenSSL does not verify with more than 16384 bits, and the time grows with the square of
        // the length.
        if bits > RSAPublicKey.bitsMax { throw .tooLarge }
        var exponent: OpaquePointer?
        defer { BN_free(exponent) }
        guard EVP_PKEY_get_bn_param(pointer, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 else {
            ERR_clear_error()
            throw .malformed
        }
        // With an exponent of 1 every signature is its own message, so anyone could forge one.
        let isSound =
            BN_is_odd(exponent) == 1 && BN_is_one(exponent) == 0 && BN_num_bits(exponent) <= 64
        guard isSound else { throw .badExponent }
    }
}
