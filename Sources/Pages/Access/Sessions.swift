import AdminAPI
import Bytes
import Cryptography
import Platform
import Synchronization

/// The signed-in sessions. They are in memory only, so a restart ends all of them.
///
/// A session's identifier is 256 random bits. Only its hash is kept, so that a dump of this table's
/// memory does not give access.
package final class Sessions: Sendable {
    /// Maximum number of sessions of each role. A new one replaces the least recently used one of
    /// the same role, so that viewers cannot end the sessions of administrators.
    static let countMax = 128
    /// Idle time after which a session ends.
    static let idleSecondsMax = 30 * 60
    /// Age at which a session ends, however much it is used.
    static let ageSecondsMax = 12 * 3600

    /// The person of a session.
    struct Holder: Equatable {
        var name: String
        var role: AdminRole
    }

    private struct Session {
        var holder: Holder
        /// `AdminAccess.mark` of the token with which it was opened.
        var mark: [UInt8]
        var opened: MonotonicTime
        var used: MonotonicTime
    }

    private let clock: any Clock
    private let sessions = Mutex<[[UInt8]: Session]>([:])

    package init(clock: any Clock) { self.clock = clock }

    /// Opens a session. Returns its identifier, which is not kept.
    func open(_ holder: Holder, mark: [UInt8]) -> String {
        let now = clock.now
        let identifier = Hex.encode(secureRandomBytes(32))
        sessions.withLock { sessions in
            sessions = sessions.filter { !Self.hasEnded($0.value, now) }
            let same = sessions.filter { $0.value.holder.role == holder.role }
            if same.count >= Self.countMax,
                let oldest = same.min(by: { $0.value.used < $1.value.used })
            {
                sessions[oldest.key] = nil
            }
            sessions[Self.key(identifier)] = Session(
                holder: holder, mark: mark, opened: now, used: now)
        }
        return identifier
    }

    /// The person of a session; nil where it does not exist or has ended.
    ///
    /// - Parameter counts: Whether this is a use of the session, which restarts its idle time.
    func holder(
        of identifier: String, _ access: AdminAccess, counts: Bool = true
    ) -> Holder? {
        let now = clock.now
        let key = Self.key(identifier)
        return sessions.withLock { sessions in
            guard let session = sessions[key] else { return nil }
            let holder = session.holder
            guard !Self.hasEnded(session, now),
                access.mark(of: holder.name, holder.role) == session.mark
            else {
                sessions[key] = nil
                return nil
            }
            if counts { sessions[key]?.used = now }
            return holder
        }
    }

    func end(_ identifier: String) {
        let key = Self.key(identifier)
        sessions.withLock { $0[key] = nil }
    }

    var count: Int { sessions.withLock { $0.count } }

    private static func hasEnded(_ session: Session, _ now: MonotonicTime) -> Bool {
        session.used.advanced(seconds: idleSecondsMax) < now
            || session.opened.advanced(seconds: ageSecondsMax) < now
    }

    private static func key(_ identifier: String) -> [UInt8] {
        SHA256.hash(Array(identifier.utf8))
    }
}
