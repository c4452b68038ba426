import HTTP

/// What all connections of a server share across its loops: safe to touch from every one of them.
final class ServerShared: Sendable {
    let drain = DrainState()
    let admission: Admission

    init(limits: Limits) {
        admission = Admission(
            connectionsMax: limits.connectionsMax, perPeerMax: limits.connectionsPerPeerMax)
    }
}
