import COpenSSL

/// An X.509 certificate (RFC 5280).
///
/// `@unchecked Sendable` is sound: the certificate is never changed after it was read, and OpenSSL
/// computes what it keeps beside it under the certificate's lock.
package final class Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    /// The names of `subjectAltName` that are host names, as written.
    package let hostNames: [String]
    /// The common names of the subject.
    package let commonNames: [String]

    /// Takes over the caller's reference.
    private init(owning pointer: OpaquePointer) {
        self.pointer = pointer
        hostNames = Self.hostNames(of: pointer)
        commonNames = Self.commonNames(of: pointer)
    }

    deinit { X509_free(pointer) }

    /// The certificates of a PEM text, in its order. Text between them is passed over; what is
    /// marked as a certificate and is none ends the list.
    package static func all(inPEM text: String) -> [Certificate] {
        defer { ERR_clear_error() }
        return Array(text.utf8).withUnsafeBytes { bytes in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return []
            }
            defer { BIO_free(bio) }
            var found: [Certificate] = []
            while let next = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) {
                found.append(Certificate(owning: next))
            }
            return found
        }
    }

    /// The public key.
    ///
    /// - Throws: `KeyError` for anything but a sound RSA key.
    package func publicKey() throws(KeyError) -> RSAPublicKey {
        defer { ERR_clear_error() }
        guard let key = X509_get_pubkey(pointer) else { throw .malformed }
        return try RSAPublicKey(KeyHandle(owning: key))
    }

    /// The serial number in upper-case hex, two digits a byte.
    package var serialNumber: String {
        guard let number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(pointer), nil) else {
            return ""
        }
        defer { BN_free(number) }
        guard let digits = BN_bn2hex(number) else { return "" }
        defer { CRYPTO_free(digits, #fileID, 0) }
        return String(cString: digits)
    }

    /// Seconds since 1970 in which it is valid; nil where its times cannot be read.
    static func validity(of certificate: OpaquePointer) -> ClosedRange<Int64>? {
        guard let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_STRING_free(epoch) }
        func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
            var (days, rest): (Int32, Int32) = (0, 0)
            guard let time, ASN1_TIME_diff(&days, &rest, epoch, time) == 1 else { return nil }
            return Int64(days) * 86_400 + Int64(rest)
        }
        guard let from = seconds(X509_get0_notBefore(certificate)),
            let until = seconds(X509_get0_notAfter(certificate)), from <= until
        else { return nil }
        return from...until
    }

    private static func hostNames(of certificate: OpaquePointer) -> [String] {
        guard
            let names = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil).map(
                OpaquePointer.init)
        else { return [] }
        defer { GENERAL_NAMES_free(names) }
        return (0..<OPENSSL_sk_num(names)).map { index in
            var type: Int32 = 0
            let name = OPENSSL_sk_value(names, index).map {
                GENERAL_NAME_get0_value(
                    $0.assumingMemoryBound(to: GENERAL_NAME.self), &type)
            }
            // A name of another kind is one all the same, so that "only this name" holds.
            guard type == GEN_DNS, let value = name ?? nil else { return "" }
            return text(OpaquePointer(value))
        }
    }

    private static func commonNames(of certificate: OpaquePointer) -> [String] {
        let subject = X509_get_subject_name(certificate)
        var names: [String] = []
        var index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1)
        while index >= 0 {
            if let entry = X509_NAME_get_entry(subject, index),
                let value = X509_NAME_ENTRY_get_data(entry)
            {
                names.append(text(OpaquePointer(value)))
            }
            index = X509_NAME_get_index_by_NID(subject, NID_commonName, index)
        }
        return names
    }

    /// The bytes of an ASN.1 string.
    private static func text(_ string: OpaquePointer) -> String {
        let string = UnsafePointer<ASN1_STRING>(string)
        let bytes = UnsafeBufferPointer(
            start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Certificate {
    /// `MBSTRING_ASC`, whose macro the importer leaves out.
    private static let mbstringASCII: Int32 = 0x1001

    /// A self-signed certificate of `key` for the host `name`, for sandboxes and tests, valid from
    /// 2020 to 2049.
    ///
    /// - Throws: `KeyError.operationFailed` where OpenSSL could not make it.
    package static func selfSigned(
        _ key: RSAPrivateKey, name: String
    ) throws(KeyError) -> String {
        defer { ERR_clear_error() }
        guard let certificate = X509_new() else { throw .operationFailed }
        defer { X509_free(certificate) }
        let subject = X509_get_subject_name(certificate)
        let serial = secureRandomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1
        guard X509_set_version(certificate, 2) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial | 1) == 1,
            ASN1_TIME_set_string(X509_getm_notBefore(certificate), "20200101000000Z") == 1,
            ASN1_TIME_set_string(X509_getm_notAfter(certificate), "20491231235959Z") == 1,
            X509_NAME_add_entry_by_txt(
                subject, "CN", mbstringASCII, Array(name.utf8), Int32(name.utf8.count), -1, 0) == 1,
            X509_set_issuer_name(certificate, subject) == 1,
            X509_set_pubkey(certificate, key.handle.pointer) == 1,
            let names = X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, "DNS:\(name)")
        else { throw .operationFailed }
        defer { X509_EXTENSION_free(names) }
        guard X509_add_ext(certificate, names, -1) == 1,
            X509_sign(certificate, key.handle.pointer, EVP_sha256()) > 0
        else { throw .operationFailed }
        return try RSAPrivateKey.text { PEM_write_bio_X509($0, certificate) }
    }
}
