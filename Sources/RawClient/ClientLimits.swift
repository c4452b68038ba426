/// What a client waits for and takes. An answer to a notification is a few bytes that come within
/// seconds: anything beyond these is a fault of the receiver.
package struct ClientLimits: Sendable, Equatable {
    /// Milliseconds until a connection stands, TLS included.
    package var connectMillisecondsMax = 10_000
    /// Milliseconds from the request's first byte to the answer's last. 30 seconds is what Open
    /// Payment Platform waits; the others publish nothing or less.
    package var exchangeMillisecondsMax = 30_000
    /// Bytes of an answer's head.
    package var headBytesMax = 65_536
    /// Bytes of an answer's body.
    package var bodyBytesMax = 1 << 20
    /// Bytes of a chunk's size line.
    package var chunkLineBytesMax = 1024

    package init() {}
}
