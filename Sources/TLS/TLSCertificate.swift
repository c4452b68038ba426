import COpenSSL
import Glibc

/// What people and metrics want to know of a certificate.
package struct TLSCertificate: Sendable, Equatable {
    /// The file that it came from.
    package let file: String
    /// The subject in RFC 2253 form, control characters escaped.
    package let subject: String
    /// When it ceases to be valid, in seconds since 1970 UTC.
    package let notAfter: Int64

    init(file: String, certificate: OpaquePointer?) throws(TLSError) {
        var time = tm()
        guard let certificate, ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else {
            ERR_clear_error()
            throw .certificateRefused(file, detail: "its notAfter is no time")
        }
        self.file = file
        subject = Self.subject(of: certificate) ?? ""
        notAfter = Int64(timegm(&time))
    }

    /// The subject of `certificate` in RFC 2253 form: everything outside printable ASCII is
    /// escaped.
    static func subject(of certificate: OpaquePointer) -> String? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        let name = X509_get_subject_name(certificate)
        guard X509_NAME_print_ex(bio, name, 0, ipnd_XN_FLAG_RFC2253()) >= 0 else {
            ERR_clear_error()
            return nil
        }
        var data: UnsafeMutablePointer<CChar>?
        let count = ipnd_BIO_get_mem_data(bio, &data)
        return String(decoding: UnsafeRawBufferPointer(start: data, count: count), as: UTF8.self)
    }
}
