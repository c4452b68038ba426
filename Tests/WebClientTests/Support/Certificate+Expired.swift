extension Certificate {
    /// A self-signed certificate for localhost that was valid in 2020.
    static let expired = Certificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBRTCB7KADAgECAgEHMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
            dDAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxv
            Y2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABCjUmeAAuRh2V2rDBk9y
            +7LsCf8gMiV8ff2/tJ0qK9p81M+BxtfkgIMoaS0Cls4Rdq31mqtNLdJ0Xk5Dw5e9
            dcOjLzAtMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8EBTAD
            AQH/MAoGCCqGSM49BAMCA0gAMEUCIB9hxFW+8lOEX7ml0ad01m4cv0EmdQ685GMa
            kqogwOLXAiEAhdOcMjJxsc6BfQ2DOmdxIEPCDkE7NptStgX5q0c+a7g=
            -----END CERTIFICATE-----

            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJJQhvOluPQydr0YZ
            pK/NhsrwU7xSPXf+HtNOe0XKGRWhRANCAAQo1JngALkYdldqwwZPcvuy7An/IDIl
            fH39v7SdKivafNTPgcbX5ICDKGktApbOEXat9ZqrTS3SdF5OQ8OXvXXD
            -----END PRIVATE KEY-----

            """)
}
