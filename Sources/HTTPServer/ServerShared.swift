import HTTP
import Synchronization

/// State that all connections of a server share across its loops; safe to use from each of them.
final class ServerShared: Sendable {
    let drain = DrainState()
    let admission: Admission
    let memory: MemoryBudget
    let answers: AnswerMemory
    let handshakes = HandshakeCounts()

    init(limits: Limits) {
        admission = Admission(limits: limits)
        memory = MemoryBudget(bytesMax: limits.bodiesBytesMax)
        answers = AnswerMemory(bytesMax: limits.answersBytesMax)
    }

    /// Sets a reload's new limits.
    func set(_ limits: Limits) {
        admission.set(limits)
        memory.set(bytesMax: limits.bodiesBytesMax)
        answers.set(bytesMax: limits.answersBytesMax)
    }
}

/// Counts completed TLS handshakes.
final class HandshakeCounts: Sendable {
    private let full = Atomic(0)
    private let resumed = Atomic(0)

    func add(isResumed: Bool) {
        if isResumed {
            resumed.add(1, ordering: .relaxed)
        } else {
            full.add(1, ordering: .relaxed)
        }
    }

    var all: (full: Int, resumed: Int) {
        (full.load(ordering: .relaxed), resumed.load(ordering: .relaxed))
    }
}

/// Whether the server is shutting down. Read by every connection on every loop.
package final class DrainState: Sendable {
    private let draining = Atomic(false)

    package init() {}

    package var isDraining: Bool { draining.load(ordering: .acquiring) }

    /// Begins the drain. Returns false if it had already begun.
    func begin() -> Bool { !draining.exchange(true, ordering: .acquiringAndReleasing) }
}

/// The settings that a server uses, replaced as a whole by a reload. Each loop holds a copy, so
/// that a request reads it without a lock.
struct Serving: Sendable {
    var limits: Limits
    /// In the order of the server's addresses.
    var listeners: [ListenerSettings]
    var handler: any RequestHandler
}
