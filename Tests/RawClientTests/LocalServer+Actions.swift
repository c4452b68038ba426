import TestSupport

/// The server's actions on a connection, in order.
enum Action: Sendable {
    /// Reads a request and writes these bytes.
    case answer(String)
    /// Reads a request and closes.
    case close
    /// Closes at once, with nothing read.
    case hangUp
    /// Reads a request and sends nothing until the client has gone.
    case silence
}

extension LocalServer {
    /// Plays the first connection by the first list, the second by the second, and so on.
    convenience init(_ connections: [[Action]]) throws {
        let rest = Box(connections)
        try self.init { peer in
            var actions: [Action] = []
            rest.update { if !$0.isEmpty { actions = $0.removeFirst() } }
            for action in actions {
                if case .hangUp = action { return }
                guard peer.readRequest() != nil else { return }
                switch action {
                case .answer(let text): peer.write(text)
                case .silence: peer.awaitEnd()
                case .close, .hangUp: break
                }
            }
        }
    }
}
