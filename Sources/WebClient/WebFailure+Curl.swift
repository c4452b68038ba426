import CCurl

extension WebFailure.Reason {
    /// What libcurl's code alone tells. The table is by curl/curl.h.
    init(_ code: CURLcode) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: self = .nameUnresolved
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .proxyFailed
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: self = .tlsUnverified
        case CURLE_SSL_CONNECT_ERROR, CURLE_USE_SSL_FAILED, CURLE_SSL_CLIENTCERT: self = .tlsFailed
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER:
            self = .tlsSettings
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM: self = .reset
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            self = .answerMalformed
        case CURLE_URL_MALFORMAT: self = .requestInvalid
        case CURLE_ABORTED_BY_CALLBACK: self = .canceled
        default: self = .failed
        }
    }
}
