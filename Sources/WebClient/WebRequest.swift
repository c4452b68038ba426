import Bytes

/// One request with everything that its way depends on.
package struct WebRequest: Sendable {
    package var method: String
    package var url: WebURL
    /// Beside `Host` and `Content-Length`, which libcurl makes.
    package var headers: [Header]
    package var body: [UInt8]
    package var way: WebWay
    package var limits: WebLimits

    package init(
        _ method: String, _ url: WebURL, headers: [Header] = [], body: [UInt8] = [],
        way: WebWay = WebWay(), limits: WebLimits = WebLimits()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.way = way
        self.limits = limits
    }
}

/// All of a request but its headers and its body: what a handle of libcurl's is set to for many.
struct WebRoute: Equatable {
    let method: String
    let url: WebURL
    let way: WebWay
    let limits: WebLimits
    /// Whether a body is sent, be it empty: none with GET and nothing to say.
    let hasBody: Bool

    init(_ request: WebRequest) {
        method = request.method
        url = request.url
        way = request.way
        limits = request.limits
        hasBody = !request.body.isEmpty || request.method != "GET"
    }
}

/// How a server is reached, and which certificates are trusted.
package struct WebWay: Sendable, Equatable {
    package enum Proxy: Sendable, Equatable {
        /// What `HTTPS_PROXY`, `http_proxy`, `ALL_PROXY` and `NO_PROXY` say.
        case environment
        /// None, whatever the environment says.
        case direct
        /// This one. It may hold a password, so nothing shows it.
        case url(String)
    }

    package var proxy: Proxy
    /// PEM. Nil: the system's trust store; else these authorities alone.
    package var caFile: String?
    /// PEM, the certificate with its intermediates, and its key without a passphrase.
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
    /// Until the connection stands, TLS and the proxy's answer included.
    package var connectMillisecondsMax = 10_000
    /// From the beginning to the end of the answer.
    package var exchangeMillisecondsMax = 20_000
    /// Of the answer's body: what is kept. The rest is read and thrown away.
    package var keptBytesMax = 4096
    /// Of the answer's body: what is read. A longer one ends the exchange, and its connection.
    package var bodyBytesMax = 1 << 20
    /// Of the answer's head, interim answers and trailers included.
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
    /// How long the body was.
    package var bodyByteCount: Int
    /// 1.0, 1.1 or 2.
    package var version: String
    package var latencyMicroseconds: Int
    /// `Retry-After`, a date counted from now; nil where there is none, or one that is over.
    package var retryAfterSeconds: Int?
    /// Whether a connection was opened for this exchange; false for one that was kept alive.
    package var usedNewConnection: Bool

    /// The value of the last field of this name, which is lower case.
    package func header(_ lowercasedName: String) -> String? {
        headers.last { $0.isNamed(lowercasedName) }
            .map { String(decoding: $0.value, as: UTF8.self) }
    }
}
