import Cryptography
import Testing

@testable import Providers

@Suite struct AntomSignatureHeaderTests {
    private func parse(_ text: String) throws(Refusal) -> AntomSignatureHeader {
        try AntomSignatureHeader(parsing: Array(text.utf8)[...])
    }

    @Test(arguments: [
        "algorithm=RSA256,keyVersion=1,signature=AQL7",
        "signature=AQL7,keyVersion=1,algorithm=RSA256",
        " algorithm = RSA256 , keyVersion\t=1,  signature= AQL7 ",
        "algorithm=RSA256,keyVersion=1,signature=AQL7,extra=1",
        "keyVersion=1,signature=AQL7",
    ])
    func `accepts every order and white space`(_ text: String) throws {
        let header = try parse(text)
        #expect(header.keyVersion == 1)
        #expect(header.signature == [1, 2, 251])
    }

    @Test(arguments: [
        ("%2B%2F%3D%3D", nil as [UInt8]?), ("%2B%2F8%3D", [251, 255]), ("%2b%2f8%3d", [251, 255]),
        ("+/8=", [251, 255]),
    ])
    func `decodes percent then strict Base64`(_ value: String, _ expected: [UInt8]?) {
        let signature = try? parse("algorithm=RSA256,keyVersion=1,signature=\(value)").signature
        #expect(signature == expected)
    }

    /// One example for each reason.
    @Test(arguments: [
        ("", "signature_header_syntax"),
        ("algorithm", "signature_header_syntax"),
        ("algorithm=RSA256,,signature=AQID", "signature_header_syntax"),
        ("algorithm=RSA256,signature=AQID,", "signature_header_syntax"),
        ("algorithm=RSA256,signature=AQID,signature=AQID", "signature_parameter_duplicate"),
        ("keyVersion=1,keyVersion=2,signature=AQID", "signature_parameter_duplicate"),
        ("algorithm=RSA256,algorithm=RSA256,signature=AQID", "signature_parameter_duplicate"),
        ("algorithm=none,signature=AQID", "signature_algorithm_unknown"),
        ("algorithm=rsa256,signature=AQID", "signature_algorithm_unknown"),
        ("algorithm=,signature=AQID", "signature_algorithm_unknown"),
        ("algorithm=RSA256,keyVersion=1", "signature_missing"),
        ("algorithm=RSA256,signature=", "signature_missing"),
        ("algorithm=RSA256,signature=AQ ID", "signature_encoding"),
        ("algorithm=RSA256,signature=AQI", "signature_encoding"),
        ("algorithm=RSA256,signature=%2", "signature_encoding"),
        ("algorithm=RSA256,signature=AQ%zzID", "signature_encoding"),
    ])
    func refuses(_ text: String, _ reason: String) {
        #expect(throws: (any Error).self) { try parse(text) }
        do throws(Refusal) {
            _ = try parse(text)
        } catch {
            #expect(error.reason == reason && error.kind == .unauthenticated)
        }
    }

    @Test(arguments: ["x", "", "-1", "+1", "1.0", "99999999999999999999"])
    func `a version that is no number is no hint`(_ version: String) throws {
        let header = try parse("keyVersion=\(version),signature=AQID")
        #expect(header.keyVersion == nil)
    }
}
