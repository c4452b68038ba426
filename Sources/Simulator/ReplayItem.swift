import Payments

/// One request to send again.
package struct ReplayItem: Sendable {
    /// `#42` of a journal, or the file's name.
    package var name: String
    /// The endpoint it came to, where that is known.
    package var endpoint: String?
    /// The system that sent it, where that is known.
    package var provider: String?
    /// When it came.
    package var received: Timestamp?
    package var request: CapturedRequest
    /// The file's own bytes, which go out as they are; nil for a record, whose bytes are made of
    /// its parts.
    package var raw: [UInt8]?

    package init(
        name: String, endpoint: String? = nil, provider: String? = nil,
        received: Timestamp? = nil, request: CapturedRequest, raw: [UInt8]? = nil
    ) {
        self.name = name
        self.endpoint = endpoint
        self.provider = provider
        self.received = received
        self.request = request
        self.raw = raw
    }

    /// What is sent. Byte for byte what came, but for another target and, of a record, the headers
    /// that frame a connection and are not kept.
    ///
    /// - Parameter target: What the URL says instead of the captured target; nil keeps it.
    package func bytes(host: String, target: String?) -> [UInt8] {
        guard target == nil, let raw else {
            return request.wireBytes(host: host, target: target)
        }
        return raw
    }
}
