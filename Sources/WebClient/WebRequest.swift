package import Bytes

/// One request and everything that determines how it is sent.
package struct WebRequest: Sendable {
    package var method: String
    package var url: WebURL
    /// All but `Host` and `Content-Length`, which libcurl adds.
    package var headers: [Header]
    package var body: [UInt8]
    package var route: WebRoute
    package var limits: WebLimits

    package init(
        _ method: String, _ url: WebURL, headers: [Header] = [], body: [UInt8] = [],
        route: WebRoute = WebRoute(), limits: WebLimits = WebLimits()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.route = route
        self.limits = limits
    }
}

/// Everything of a request but its headers and body: the options that a libcurl handle keeps for
/// later requests.
struct TransferKind: Equatable {
    let method: String
    let url: WebURL
    let route: WebRoute
    let limits: WebLimits
    /// Whether a body is sent, even if empty. A GET request without a body sends none.
    let hasBody: Bool

    init(_ request: WebRequest) {
        method = request.method
        url = request.url
        route = request.route
        limits = request.limits
        hasBody = !request.body.isEmpty || request.method != "GET"
    }
}

/// The way to a server, and the trusted certificates.
package struct WebRoute: Sendable, Equatable {
    package enum Proxy: Sendable, Equatable {
        /// As `HTTPS_PROXY`, `http_proxy`, `ALL_PROXY` and `NO_PROXY` say.
        case environment
        /// No proxy, whatever the environment says.
        case direct
        /// This proxy. The URL may hold a password, so it is never shown.
        case url(String)
    }

    package var proxy: Proxy
    /// PEM file of the only trusted authorities; nil for the system's trust store.
    package var caFile: String?
    /// PEM files: the certificate with its intermediates, and its key without a passphrase.
    package var clientCertificate: (certificate: String, key: String)? {
        get { certificateFile.flatMap { file in keyFile.map { (file, $0) } } }
        set { (certificateFile, keyFile) = (newValue?.certificate, newValue?.key) }
    }
    private var certificateFile: String?
    private var keyFile: String?
    package var addresses: AddressRules

    package init(
        proxy: Proxy = .environment, caFile: String? = nil,
        clientCertificate: (certificate: String, key: String)? = nil,
        addresses: AddressRules = AddressRules()
    ) {
        self.proxy = proxy
        self.caFile = caFile
        self.addresses = addresses
        self.clientCertificate = clientCertificate
    }
}

/// The bounds of one exchange.
package struct WebLimits: Sendable, Equatable {
    /// Milliseconds until the connection is established, including TLS and the proxy's answer.
    package var connectMillisecondsMax = 10_000
    /// Milliseconds from the start to the end of the answer.
    package var exchangeMillisecondsMax = 20_000
    /// Bytes of the answer's body that are kept. The rest is read and discarded.
    package var keptBytesMax = 4096
    /// Bytes of the answer's body that are read. A longer one ends the exchange and its connection.
    package var bodyBytesMax = 1 << 20
    /// Bytes of the answer's head, including interim answers and trailers.
    package var headBytesMax = 64 << 10

    package init() {}
}

/// An answer with a head and a complete body.
package struct WebResponse: Sendable {
    package var status: Int
    /// The fields of the final answer, in their order.
    package var headers: [Header]
    /// The body, or its first `keptBytesMax` bytes.
    package var body: [UInt8]
    /// Length of the whole body.
    package var bodyByteCount: Int
    /// 1.0, 1.1 or 2.
    package var version: String
    package var latencyMicroseconds: Int
    /// Seconds of `Retry-After`, where a date counts from now; nil without the header or if it has
    /// passed.
    package var retryAfterSeconds: Int?
    /// Whether a connection was opened for this exchange; false if one was kept alive.
    package var usedNewConnection: Bool

    /// The value of the last field with this name, given in lower case.
    package func header(_ lowercasedName: String) -> String? {
        headers.last { $0.isNamed(lowercasedName) }
            .map { String(decoding: $0.value, as: UTF8.self) }
    }
}
