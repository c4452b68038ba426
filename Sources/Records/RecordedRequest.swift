import Bytes

/// The request that brought a notification, byte for byte, so that it can be verified again and
/// replayed.
package struct RecordedRequest: Sendable, Equatable {
    package var method: String
    /// The request target as received, query included.
    package var target: ArraySlice<UInt8>
    /// In the order of the request.
    package var headers: [Header]
    package var body: [UInt8]

    package init(
        method: String, target: ArraySlice<UInt8>, headers: [Header], body: [UInt8]
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// What it holds in memory, in bytes, roughly: what the queue's limit counts.
    package var byteCount: Int {
        target.count + body.count + 512 + headers.byteCount + headers.count * 64
    }
}
