import Testing

@testable import TLS

@Suite struct TLSErrorTests {
    @Test(arguments: [
        (TLSError.fileMissing("/x/cert.pem"), "tls_file_missing"),
        (.fileUnreadable("/x/cert.pem", errno: 13), "tls_file_unreadable"),
        (.notPEM("/x/cert.pem"), "tls_file_not_pem"),
        (.certificateRefused("/x/cert.pem", detail: "ee key too small"), "tls_certificate_refused"),
        (.keyMismatch(certificate: "/x/cert.pem", key: "/x/key.pem"), "tls_key_mismatch"),
        (.keyEncrypted("/x/cert.pem"), "tls_key_encrypted"),
    ])
    func `a file error names the file`(error: TLSError, reason: String) {
        #expect(error.description.contains("/x/cert.pem"))
        #expect(error.description.hasSuffix("."))
        #expect(error.reason == reason)
    }

    @Test(arguments: [
        (TLSError.plainHTTP, "tls_plain_http"), (.handshake("x"), "tls_handshake"),
        (.record("x"), "tls_record"), (.unexpectedEOF, "tls_eof"),
        (.connectionLost(errno: 104), "tls_eof"), (.setupFailed("x"), "tls_setup"),
    ])
    func `a connection error has its code`(error: TLSError, reason: String) {
        #expect(error.reason == reason)
        #expect(error.description.hasSuffix("."))
    }
}
