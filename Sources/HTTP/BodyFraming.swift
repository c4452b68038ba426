/// How a body's end is found (RFC 9112 §6.3).
enum BodyFraming: Sendable, Equatable {
    /// This many bytes, 0 when there is no body.
    case length(Int)
    case chunked
}
