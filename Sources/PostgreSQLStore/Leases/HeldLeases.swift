import Platform
import PostgreSQL
import Synchronization

/// The leases that this process holds.
final class HeldLeases: Sendable {
    private struct Held {
        let lease: Lease
        var expires: MonotonicTime
        let onLoss: @Sendable () -> Void
    }

    private let held = Mutex<[String: Held]>([:])
    private let clock: any Clock

    init(clock: any Clock) { self.clock = clock }

    var all: [Lease] { held.withLock { $0.values.map(\.lease) } }

    func add(
        _ lease: Lease, until expires: MonotonicTime, onLoss: @escaping @Sendable () -> Void
    ) {
        held.withLock { $0[lease.name] = Held(lease: lease, expires: expires, onLoss: onLoss) }
    }

    /// Whether the lease is surely still held.
    func holds(_ lease: Lease) -> Bool {
        held.withLock { held in
            guard let found = held[lease.name] else { return false }
            return found.lease == lease && clock.now < found.expires
        }
    }

    func prolong(_ lease: Lease, until expires: MonotonicTime) {
        held.withLock { held in
            if held[lease.name]?.lease == lease { held[lease.name]?.expires = expires }
        }
    }

    /// Removes a lease without calling `onLoss`; false if it was not held.
    func remove(_ lease: Lease) -> Bool {
        held.withLock { held in
            guard held[lease.name]?.lease == lease else { return false }
            held[lease.name] = nil
            return true
        }
    }

    /// Removes a lost lease and calls its `onLoss`.
    func drop(_ lease: Lease) {
        let dropped = held.withLock { held -> Held? in
            guard held[lease.name]?.lease == lease else { return nil }
            return held.removeValue(forKey: lease.name)
        }
        dropped?.onLoss()
    }

    /// Drops the leases whose time is up.
    func dropExpired() {
        let now = clock.now
        let expired = held.withLock { held in
            held.values.filter { $0.expires <= now }.map(\.lease)
        }
        for lease in expired { drop(lease) }
    }
}

/// Renews the leases of a process on a separate thread and connection, so that other slow work does
/// not delay it.
struct LeaseRenewal {
    let source: LinkSource
    let held: HeldLeases
    let holder: String
    let seconds: Int
    let isClosed: Monitor<Bool>
    let clock: any Clock

    /// Number of renewals during the lifetime of a lease.
    private static let renewalsPerLease: UInt64 = 4

    /// Renews until the leases are closed.
    func run() {
        let confirmations = Confirmations(
            millisecondsMin: 0, environment: DatabaseEnvironment(clock: clock))
        var session: ReaderSession?
        repeat {
            let leases = held.all
            if leases.isEmpty { continue }
            do throws(PostgresError) {
                if session == nil {
                    session = try ReaderSession(source, confirmations, secondsMax: seconds)
                }
                if let session { try renew(leases, session) }
            } catch {
                // Tried again soon; meanwhile the leases expire.
                session?.link.abandon()
                session = nil
            }
        } while !awaitNext()
        session?.link.close()
    }

    /// Waits for the next renewal; true if the leases were closed.
    private func awaitNext() -> Bool {
        let pause = UInt64(seconds) * 1_000_000_000 / Self.renewalsPerLease
        let next = clock.now.advanced(nanoseconds: pause)
        return isClosed.wait { isClosed in
            if isClosed { return .go(true) }
            return clock.now >= next ? .go(false) : .wait(until: next)
        }
    }

    private func renew(_ leases: [Lease], _ session: ReaderSession) throws(PostgresError) {
        let expires = clock.now.advanced(seconds: seconds)
        session.deadline = expires
        var (names, fences) = (Column(.text), Column(.int8))
        for lease in leases {
            names.append(lease.name)
            fences.append(lease.fence)
        }
        let command = Command(Self.renew).with(names).with(fences).with(holder)
            .with(Int64(seconds))
        let rows = try session.commit([command])[0]
        var kept: Set<String> = []
        for row in 0..<rows.rowCount { kept.insert(try rows.text(row, 0)) }
        for lease in leases {
            if kept.contains(lease.name) {
                held.prolong(lease, until: expires)
            } else {
                held.drop(lease)
            }
        }
    }

    private static let renew = Statement(
        name: "lease_renew",
        sql: """
            UPDATE lease SET expires = clock_timestamp() + make_interval(secs => $4)
            FROM unnest($1, $2) AS held (name, fence)
            WHERE lease.name = held.name AND lease.fence = held.fence AND lease.holder = $3
            RETURNING lease.name
            """)
}
