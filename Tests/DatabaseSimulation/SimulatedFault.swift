/// What can go wrong at a message. Times are those of the simulated clock.
package enum SimulatedFault: String, Sendable, CaseIterable {
    /// The message does not reach the server; both ends notice.
    case loseRequest
    /// The server does what the message says, and its answer is lost; both ends notice.
    case loseAnswer
    /// The server does what the message says, and nothing is ever heard of it.
    case silence
    /// The message reaches the server when its client has given up and some other messages have
    /// come; or when nothing else happens any more.
    case late
    /// The connection ends behind the answer.
    case cutAfter
    /// The client notices that the connection was cut; the server only 10 s later.
    case linger
    /// Somebody ends the session at the server (57P01).
    case terminate
    /// The server's processes crash before the message or when it was done, and it restarts.
    case restartBefore, restartAfter
    /// The primary is lost before the message or when it was done; the standby takes over.
    case failOverBefore, failOverAfter
    /// The primary is cut off from its standby, which takes over. Who has a session at the old one
    /// goes on with it.
    case isolate
    /// And who sent the message finds only the old one when it connects again.
    case isolateTogether
    /// The standby gets nothing for 2 s; for 30 s.
    case pauseShort, pauseLong
    /// The same for 2 s, and somebody cancels the waits (01000), or ends their sessions (57P01).
    case cancelWaits, terminateWaits
    /// The waits are cancelled, and three messages later the primary is lost.
    case cancelWaitsThenFailOver, terminateWaitsThenFailOver
    /// The server restarts while the standby gets nothing, and three messages later it is lost.
    case restartThenFailOver
    /// The process that sends the message is killed before it, or when it was done.
    case killBefore, killAfter
    /// The connection is cut, and for 2 s nothing listens.
    case refuse

    /// Whether an operator or an accident does it to the whole cluster.
    package var concernsCluster: Bool {
        switch self {
        case .loseRequest, .loseAnswer, .silence, .late, .cutAfter, .linger, .terminate,
            .killBefore, .killAfter:
            false
        default: true
        }
    }
}
