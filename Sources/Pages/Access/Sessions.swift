import AdminAPI
import Bytes
import Cryptography
import Platform
import Synchronization

/// Who is signed in, in memory only: a restart ends all sessions.
///
/// A session's identifier is 256 random bits. Here only its hash is kept, so that no dump of the
/// memory of this table is a way in.
package final class Sessions: Sendable {
    /// Most sessions of each role at a time; the one of that role that was used longest ago makes
    /// room. So no viewer ends the session of whoever acts.
    static let countMax = 128
    /// Without a request for so long, a session ends.
    static let idleSecondsMax = 30 * 60
    /// However much it is used, it ends after so long.
    static let ageSecondsMax = 12 * 3600

    private struct Session {
        var role: AdminRole
        /// `AdminAccess.mark` of the token that opened it.
        var mark: [UInt8]
        var opened: MonotonicTime
        var used: MonotonicTime
    }

    private let clock: any Clock
    private let sessions = Mutex<[[UInt8]: Session]>([:])

    package init(clock: any Clock) { self.clock = clock }

    /// Opens a session; returns its identifier, which is told once and not kept.
    func open(_ role: AdminRole, mark: [UInt8]) -> String {
        let now = clock.now
        let identifier = Hex.encode(secureRandomBytes(32))
        sessions.withLock { sessions in
            sessions = sessions.filter { !Self.hasEnded($0.value, now) }
            let same = sessions.filter { $0.value.role == role }
            if same.count >= Self.countMax,
                let oldest = same.min(by: { $0.value.used < $1.value.used })
            {
                sessions[oldest.key] = nil
            }
            sessions[Self.key(identifier)] = Session(
                role: role, mark: mark, opened: now, used: now)
        }
        return identifier
    }

    /// The role of a session that lives.
    ///
    /// - Parameter counts: as its use, from which the idle time begins anew.
    func role(
        of identifier: String, _ access: AdminAccess, counts: Bool = true
    ) -> AdminRole? {
        let now = clock.now
        let key = Self.key(identifier)
        return sessions.withLock { sessions in
            guard let session = sessions[key] else { return nil }
            guard !Self.hasEnded(session, now), access.mark(of: session.role) == session.mark
            else {
                sessions[key] = nil
                return nil
            }
            if counts { sessions[key]?.used = now }
            return session.role
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
