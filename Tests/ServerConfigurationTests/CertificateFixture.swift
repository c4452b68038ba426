/// Self-signed certificates with their keys for tests, valid until 2126 and trusted nowhere.
enum CertificateFixture {
    /// CN=ipn.example, P-256.
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmzCCAUGgAwIBAgIUVl6GOrRhSIuRoOaNbxbeavxEGkcwCgYIKoZIzj0EAwIw
        FjEUMBIGA1UEAwwLaXBuLmV4YW1wbGUwIBcNMjYxMTIxMDkyNzE2WhgPMjEyNjEw
        MjgwOTI3MTZaMBYxFDASBgNVBAMMC2lwbi5leGFtcGxlMFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAE/lz1ireAf8x2lwHW0a/Y48wI8WzmX1W1H9lc4aWaIX/SzaI5
        NhRMMgznMl2QuKNpHKZK4kDffneZdm8SAxfGgaNrMGkwHQYDVR0OBBYEFAVXTLrd
        GKKq5lFPkq6z2Z2SWakPMB8GA1UdIwQYMBaAFAVXTLrdGKKq5lFPkq6z2Z2SWakP
        MA8GA1UdEwEB/wQFMAMBAf8wFgYDVR0RBA8wDYILaXBuLmV4YW1wbGUwCgYIKoZI
        zj0EAwIDSAAwRQIgCR/eL4QApfhNHIan4NQcqdQbTvPduvWIvU9OQfAWOqMCIQCY
        fowNADe1m+k1HBd3VcS0JNlCAQpQ/9PeSsB0fXZ6zQ==
        -----END CERTIFICATE-----

        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEtLWRPBQ5p0g6fiJ
        028+rTIIe2f1mARY941Gv5EbdDKhRANCAAT+XPWKt4B/zHaXAdbRr9jjzAjxbOZf
        VbUf2VzhpZohf9LNojk2FEwyDOcyXZC4o2kcpkriQN9+d5l2bxIDF8aB
        -----END PRIVATE KEY-----

        """

    /// CN=other.example, P-256.
    static let otherCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBiDCCAS2gAwIBAgIUPpr+3jhQLm6atNtzzhTFABneBPYwCgYIKoZIzj0EAwIw
        GDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTAgFw0yNjExMjEwOTI3MTZaGA8yMTI2
        MTAyODA5MjcxNlowGDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABMce+2waPJYlJ8c26uDX03+s6PpnsRzirCLUqGvBH9TS
        RnqEhLV5Fx8/QYfJHEwSvTVvg6ly23erT2X8ScllDXajUzBRMB0GA1UdDgQWBBS6
        dkrbFJjp27qIJUPJZqztSi1JOjAfBgNVHSMEGDAWgBS6dkrbFJjp27qIJUPJZqzt
        Si1JOjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDzsUYzprGq
        7bazo7BY9byPA2xHHdyaMo0bCRc7b1EITwIhAL+eWurh8f1gN3/1Cqzq0QQVS/dN
        AXUsQv+QTQu4Fc8h
        -----END CERTIFICATE-----

        """

    static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpd8DNf9mB1PzEFsP
        ORvfqQGylGVJ95Hg5tSxKO1fikShRANCAATHHvtsGjyWJSfHNurg19N/rOj6Z7Ec
        4qwi1KhrwR/U0kZ6hIS1eRcfP0GHyRxMEr01b4Opctt3q09l/EnJZQ12
        -----END PRIVATE KEY-----

        """
}
