import Bytes
import CCurl

/// Sets the options of a libcurl handle for a request.
struct TransferOptions {
    private let easy: UnsafeMutableRawPointer
    private let request: WebRequest
    /// The first option that libcurl refused. An option that is not set could be the one that
    /// checks certificates.
    private var failure: CURLcode?

    init(_ easy: UnsafeMutableRawPointer, _ request: WebRequest) {
        self.easy = easy
        self.request = request
    }

    mutating func note(_ code: CURLcode) {
        if code != CURLE_OK, failure == nil { failure = code }
    }

    /// Throws if an option was refused.
    func check() throws(WebFailure) {
        if let failure { throw WebFailure(.failed, String(cString: curl_easy_strerror(failure))) }
    }

    /// Sets the options that are the same for every request of a route.
    mutating func setRoute() {
        note(ipnd_curl_set_long(easy, CURLOPT_NOSIGNAL, 1))
        // See the shim.
        note(ipnd_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1))
        note(ipnd_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https"))
        note(ipnd_curl_set_text(easy, CURLOPT_URL, request.url.description))
        note(ipnd_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0))
        setVersion()
        setLimits()
        setTrust()
        setProxy()
        setMethod()
    }

    private mutating func setVersion() {
        // HTTP/2 if the TLS handshake negotiates it.
        note(ipnd_curl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)))
        // Wait for the handshake of a connection that many requests can share rather than open one
        // for each. Without TLS the server's version is known only after its first answer, which is
        // too late.
        note(ipnd_curl_set_long(easy, CURLOPT_PIPEWAIT, request.url.usesTLS ? 1 : 0))
    }

    private mutating func setLimits() {
        let limits = request.limits
        note(
            ipnd_curl_set_long(
                easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, limits.connectMillisecondsMax)))
        note(ipnd_curl_set_long(easy, CURLOPT_TIMEOUT_MS, max(1, limits.exchangeMillisecondsMax)))
        // A longer announced answer ends after its head.
        note(ipnd_curl_set_size(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(limits.bodyBytesMax)))
    }

    private mutating func setTrust() {
        note(ipnd_curl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)))
        note(ipnd_curl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1))
        note(ipnd_curl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2))
        if let file = request.route.caFile {
            note(ipnd_curl_set_text(easy, CURLOPT_CAINFO, file))
            // Otherwise the system's CA directory would be used in addition to the file.
            note(ipnd_curl_set_text(easy, CURLOPT_CAPATH, nil))
        }
        if let (certificate, key) = request.route.clientCertificate {
            note(ipnd_curl_set_text(easy, CURLOPT_SSLCERT, certificate))
            note(ipnd_curl_set_text(easy, CURLOPT_SSLKEY, key))
        }
    }

    private mutating func setProxy() {
        switch request.route.proxy {
        case .environment: break
        case .direct: note(ipnd_curl_set_text(easy, CURLOPT_PROXY, ""))
        case .url(let url):
            note(ipnd_curl_set_text(easy, CURLOPT_PROXY, url))
            // Otherwise the exceptions of the environment would apply.
            note(ipnd_curl_set_text(easy, CURLOPT_NOPROXY, ""))
        }
        note(ipnd_curl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1))
        // Headers of CONNECT are sent to the proxy only.
        note(ipnd_curl_set_long(easy, CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE)))
    }

    /// - Parameter headerLines: Owned by the caller; must live as long as the handle uses it.
    mutating func setHeaders(
        _ headerLines: inout UnsafeMutablePointer<curl_slist>?
    ) throws(WebFailure) {
        // By default libcurl sends `Expect: 100-continue` for a long body and a form's content
        // type.
        var lines = ["Expect:"]
        for header in request.headers {
            let name = String(decoding: header.name, as: UTF8.self)
            let value = String(decoding: header.value, as: UTF8.self)
            guard HeaderRules.isName(name), HeaderRules.isValue(value) else {
                throw WebFailure(.requestInvalid, "a header cannot be sent")
            }
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        for (name, line) in [("content-type", "Content-Type:"), ("user-agent", "User-Agent: ipnd")]
        where !request.headers.contains(where: { $0.isNamed(name) }) {
            lines.append(line)
        }
        for line in lines {
            guard let list = curl_slist_append(headerLines, line) else {
                throw WebFailure(.failed, "no memory for the headers")
            }
            headerLines = list
        }
        note(ipnd_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headerLines))
    }

    private mutating func setMethod() {
        guard TransferKind(request).hasBody else { return }
        note(ipnd_curl_set_long(easy, CURLOPT_POST, 1))
        if request.method != "POST" {
            note(ipnd_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method))
        }
    }

    mutating func setBody() {
        guard TransferKind(request).hasBody else { return }
        note(ipnd_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)))
        // libcurl copies the bytes, as many as the size says.
        guard !request.body.isEmpty else {
            return note(ipnd_curl_set_text(easy, CURLOPT_COPYPOSTFIELDS, ""))
        }
        let body = request.body
        body.withUnsafeBytes {
            note(ipnd_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress))
        }
    }
}
