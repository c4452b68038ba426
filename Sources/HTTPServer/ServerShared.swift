import HTTP

/// What all connections of a server share: immutable, or safe to touch from every loop.
final class ServerShared: Sendable {
    let limits: Limits
    let handler: any RequestHandler
    let drain = DrainState()
    let admission: Admission

    init(limits: Limits, handler: any RequestHandler) {
        self.limits = limits
        self.handler = handler
        admission = Admission(
            connectionsMax: limits.connectionsMax, perPeerMax: limits.connectionsPerPeerMax)
    }
}
