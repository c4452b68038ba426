import Cryptography

/// How a configured system signs: `hmac:` in the endpoint's configuration.
package struct HMACScheme: Sendable, Equatable {
    package enum Encoding: String, Sendable, CaseIterable {
        case hex, base64
    }

    /// What the code is computed over.
    package enum Content: Sendable, Equatable {
        /// The body's exact bytes.
        case body
        /// `{timestamp}.{body}`, the time taken from the header of this (lower-case) name.
        case timestampAndBody(header: String)
    }

    /// The header that carries the signature, in lower case.
    package var header: String
    package var algorithm: HMAC.Algorithm
    package var encoding: Encoding

    /// What stands before the encoded signature, as in `sha256=…`; empty where nothing does.
    package var prefix: String
    package var content: Content

    package init(
        header: String, algorithm: HMAC.Algorithm = .sha256, encoding: Encoding = .hex,
        prefix: String = "", content: Content = .body
    ) {
        self.header = header.lowercased()
        self.algorithm = algorithm
        self.encoding = encoding
        self.prefix = prefix
        if case .timestampAndBody(let name) = content {
            self.content = .timestampAndBody(header: name.lowercased())
        } else {
            self.content = content
        }
    }
}
