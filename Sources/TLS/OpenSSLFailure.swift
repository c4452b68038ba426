import COpenSSL

/// The first entry of this thread's OpenSSL error queue: the root of a failure. Later entries say
/// who passed it on.
struct OpenSSLFailure {
    private let code: UInt

    /// Takes the first entry and empties the queue, which the next operation on this thread needs
    /// empty.
    init() {
        code = ERR_peek_error()
        ERR_clear_error()
    }

    /// OpenSSL's own words: constant texts, never bytes of a peer.
    var detail: String {
        guard let text = ERR_reason_error_string(code) else { return "unknown reason" }
        return String(cString: text)
    }

    /// Whether the queue's first entry is this one, e.g. `SSL_R_HTTP_REQUEST` of `ERR_LIB_SSL`.
    func isReason(_ reason: Int32, of library: Int32) -> Bool {
        isFrom(library) && ERR_GET_REASON(code) == reason
    }

    /// Whether that part of OpenSSL raised it, e.g. `ERR_LIB_PEM`.
    func isFrom(_ library: Int32) -> Bool {
        ERR_GET_LIB(code) == library
    }
}
