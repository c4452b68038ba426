import HTTP

/// What a server serves at present, replaced as a whole by a reload. Each loop holds a copy, so
/// that a request reads it without a lock.
struct Serving: Sendable {
    var limits: Limits
    /// In the order of the server's addresses.
    var listeners: [ListenerSettings]
    var handler: any RequestHandler
}
