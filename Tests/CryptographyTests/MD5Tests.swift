import Bytes
import Cryptography
import Testing

@Suite struct MD5Tests {
    /// RFC 1321 appendix A.5.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f"
        ),
    ])
    func `hashes the published examples`(message: String, digest: String) {
        #expect(Hex.encode(MD5.hash(Array(message.utf8))) == digest)
    }
}
