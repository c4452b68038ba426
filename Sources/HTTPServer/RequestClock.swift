import HTTP
import Platform

/// The deadlines of one request. A slow sender cannot move them: the head is limited from its first
/// byte, the body from its start, and only a pause within a body is measured from the last piece.
struct RequestClock {
    enum Phase { case idle, head, body }

    private(set) var phase = Phase.idle
    private(set) var deadline: MonotonicTime
    /// When the request's first byte was parsed; before that, when the wait for it began.
    private(set) var began: MonotonicTime
    // Not all of `Limits`: a copy takes 200 bytes, and an idle connection keeps several.
    private let headSecondsMax: Int
    private let bodySecondsMax: Int
    private let bodyIdleSecondsMax: Int
    private var bodyEnds = MonotonicTime.never

    init(now: MonotonicTime, limits: Limits) {
        headSecondsMax = limits.headSecondsMax
        bodySecondsMax = limits.bodySecondsMax
        bodyIdleSecondsMax = limits.bodyIdleSecondsMax
        deadline = now.advanced(seconds: limits.keepAliveSecondsMax)
        began = now
    }

    /// Moves the deadline after the parser has taken bytes.
    mutating func advance(hasBegun: Bool, isInBody: Bool, now: MonotonicTime) {
        if hasBegun, phase == .idle { began = now }
        if isInBody {
            if phase != .body { bodyEnds = now.advanced(seconds: bodySecondsMax) }
            phase = .body
            deadline = min(bodyEnds, now.advanced(seconds: bodyIdleSecondsMax))
        } else if hasBegun, phase == .idle {
            phase = .head
            deadline = now.advanced(seconds: headSecondsMax)
        }
    }

    /// The time since which the client owes the next bytes: of a head since its first byte, of a
    /// body since its last one. Undefined while idle.
    var waitsSince: MonotonicTime {
        let seconds = phase == .head ? headSecondsMax : bodyIdleSecondsMax
        let limit = MonotonicTime(nanoseconds: 0).advanced(seconds: seconds).nanoseconds
        // If the whole body's deadline comes first, its last byte came later than this.
        return MonotonicTime(nanoseconds: deadline.nanoseconds - min(limit, deadline.nanoseconds))
    }

    /// The answer after `deadline` (RFC 9110 §15.5.9).
    var timeout: HTTPError {
        guard phase == .body else { return HTTPError(.headTimeout) }
        return HTTPError(deadline == bodyEnds ? .bodyTimeout : .bodyIdleTimeout)
    }
}
