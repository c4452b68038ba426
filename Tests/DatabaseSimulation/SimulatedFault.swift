/// The faults that can be injected at a message. Times are those of the simulated clock.
package enum SimulatedFault: String, Sendable, CaseIterable {
    /// The message does not reach the server; both ends notice.
    case loseRequest
    /// The server processes the message, and its answer is lost; both ends notice.
    case loseAnswer
    /// The server processes the message, and never answers.
    case silence
    /// The message reaches the server after its client has given up and some other messages have
    /// arrived, or when nothing else can happen.
    case late
    /// The connection ends after the answer.
    case cutAfter
    /// The client notices that the connection was cut; the server notices only 10 s later.
    case linger
    /// An operator ends the session at the server (57P01).
    case terminate
    /// The server's processes crash before or after the message, and it restarts.
    case restartBefore, restartAfter
    /// The primary fails before or after the message; the standby is promoted.
    case failOverBefore, failOverAfter
    /// The primary is cut off from its standby, which is promoted. Sessions on the old primary
    /// continue.
    case isolate
    /// The same, and the client that sent the message reaches only the old primary when it
    /// reconnects.
    case isolateTogether
    /// The standby receives nothing for 2 s; for 30 s.
    case pauseShort, pauseLong
    /// The standby receives nothing for 2 s, and an operator cancels the waits (01000), or ends
    /// their sessions (57P01).
    case cancelWaits, terminateWaits
    /// The waits are ended, and three messages later the primary fails.
    case cancelWaitsThenFailOver, terminateWaitsThenFailOver
    /// The server restarts while the standby receives nothing, and three messages later it fails.
    case restartThenFailOver
    /// The process that sends the message is killed before or after it.
    case killBefore, killAfter
    /// The connection is cut, and connections are refused for 2 s.
    case refuse

    /// Whether the fault affects the whole cluster.
    package var concernsCluster: Bool {
        switch self {
        case .loseRequest, .loseAnswer, .silence, .late, .cutAfter, .linger, .terminate,
            .killBefore, .killAfter:
            false
        default: true
        }
    }
}
