/// Why a request is refused: answer with `status`, send `Connection: close`, and close. After such
/// an error the position in the byte stream is lost or not worth keeping (RFC 9112 §9.6, §11.2).
package struct HTTPError: Error, Sendable, Equatable {
    /// The status of the answer.
    package let status: Int
    /// A snake_case code for the log line, the metric and the rejection log; see `Cause`.
    package let reason: String
    /// The `Allow` field that a 405 must carry (RFC 9110 §15.5.6).
    package let allow: String?

    package init(_ cause: Cause) {
        status = cause.status
        reason = cause.rawValue
        allow = cause == .methodNotAllowed ? Method.allowed : nil
    }

    /// A refusal that the server decides outside of HTTP, e.g. of a broken PROXY header.
    package init(status: Int, reason: String, allow: String? = nil) {
        self.status = status
        self.reason = reason
        self.allow = allow
    }
}

extension HTTPError {
    /// Every refusal of HTTP itself, in the order in which a request is checked.
    package enum Cause: String, Error, Sendable, CaseIterable {
        // The request line, RFC 9112 §3.
        case emptyLinesRepeated = "empty_lines_before_request"
        case requestLineTooLong = "request_line_too_long"
        case methodInvalid = "method_invalid"
        case targetInvalid = "target_invalid"
        case targetPercentInvalid = "target_percent_invalid"
        case targetFormInvalid = "target_form_invalid"
        case requestLineWhitespace = "request_line_whitespace"
        case versionInvalid = "version_invalid"
        case versionNotSupported = "version_not_supported"
        // Field lines, RFC 9112 §2.2 and §5.
        case headBareCR = "head_bare_cr"
        case headBareLF = "head_bare_lf"
        case headTooLarge = "head_too_large"
        case headWhitespaceFirst = "head_whitespace_before_first_field"
        case obsoleteFold = "field_obsolete_fold"
        case fieldNameEmpty = "field_name_empty"
        case fieldNameInvalid = "field_name_invalid"
        case fieldNameWhitespace = "field_name_whitespace"
        case fieldColonMissing = "field_colon_missing"
        case fieldValueInvalid = "field_value_invalid"
        case fieldsTooMany = "fields_too_many"
        // The meaning of the head, RFC 9112 §3.2, §6 and RFC 9110 §10.1.1.
        case hostMissing = "host_missing"
        case hostRepeated = "host_repeated"
        case hostInvalid = "host_invalid"
        case hostNotTarget = "host_differs_from_target"
        case contentLengthInvalid = "content_length_invalid"
        case contentLengthRepeated = "content_length_repeated"
        case contentLengthAndTransferEncoding = "content_length_and_transfer_encoding"
        case transferEncodingInHTTP10 = "transfer_encoding_in_http_1_0"
        case transferEncodingNotChunked = "transfer_encoding_not_chunked"
        case transferEncodingUnsupported = "transfer_encoding_unsupported"
        case bodyTooLarge = "body_too_large"
        case expectationUnknown = "expectation_unknown"
        case methodNotAllowed = "method_not_allowed"
        // Chunked, RFC 9112 §7.1.
        case chunkSizeInvalid = "chunk_size_invalid"
        case chunkExtensionInvalid = "chunk_extension_invalid"
        case chunkLineEndInvalid = "chunk_line_end_invalid"
        case chunkLineTooLong = "chunk_line_too_long"
        case chunkOverheadTooLarge = "chunk_overhead_too_large"
        case chunkDataEndInvalid = "chunk_data_end_invalid"
        case trailerTooLarge = "trailer_too_large"
        case trailerForbidden = "trailer_forbidden"
        // The peer closed within a request; raised by the server, RFC 9112 §8.
        case requestIncomplete = "request_incomplete"
        // Memory limit, raised by the server, RFC 9110 §15.6.4.
        case bodiesTooLarge = "bodies_limit"
        // Connection limit, raised by the server: a new connection displaced an unfinished request.
        case requestDisplaced = "request_displaced"
        // Timeouts, raised by the server, RFC 9110 §15.5.9.
        case headTimeout = "head_timeout"
        case bodyIdleTimeout = "body_idle_timeout"
        case bodyTimeout = "body_timeout"

        /// The status of the answer to this cause.
        package var status: Int {
            switch self {
            case .headTimeout, .bodyIdleTimeout, .bodyTimeout: 408
            case .methodNotAllowed: 405
            case .bodyTooLarge: 413
            case .requestLineTooLong: 414
            case .expectationUnknown: 417
            case .headTooLarge, .fieldsTooMany, .trailerTooLarge: 431
            case .transferEncodingUnsupported: 501
            case .bodiesTooLarge, .requestDisplaced: 503
            case .versionNotSupported: 505
            default: 400
            }
        }
    }
}
