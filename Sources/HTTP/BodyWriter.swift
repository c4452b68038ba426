/// Takes a response's body part by part (`Response.stream`).
package protocol BodyWriter: AnyObject {
    /// Sends the next part, whose bytes lie in several arrays. They are not copied, so that many
    /// clients can wait for the same ones. Returns when the socket has taken them, so whoever
    /// produces more than the client reads is held back here. Nothing is sent for an empty part.
    ///
    /// Throws `BodyWriterError` when the client has gone or has stopped reading.
    func write(_ pieces: [[UInt8]]) async throws(BodyWriterError)
}

extension BodyWriter {
    package func write(_ bytes: [UInt8]) async throws(BodyWriterError) { try await write([bytes]) }
}

/// Why a body could not be sent to its end.
package enum BodyWriterError: Error, Sendable {
    /// Nobody reads any more: produce nothing further.
    case clientGone
}
