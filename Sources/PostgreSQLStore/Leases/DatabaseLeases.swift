import Bytes
import Cryptography
import Platform
import PostgreSQL
import Store

/// The leases of this process: rows in the database that expire unless they are renewed.
///
/// An advisory lock of a session would not be enough: a server notices a cut network late, and a
/// promoted standby does not have the lock. A row is replicated and expires by itself.
///
/// A process trusts its lease only until its own clock shows that it may have expired, counted from
/// before the request. So two processes do not hold it at once, unless one was stopped in between
/// or the server's clock was set forward; even then their writes are fenced (`Lease`).
package final class DatabaseLeases: Sendable {
    private let held: HeldLeases
    private let reader: DatabaseReader
    private let look: Task<Void, Never>
    private let isClosed: Monitor<Bool>
    private let holder = Hex.encode(secureRandomBytes(16))
    private let label: String
    private let seconds: Int
    private let clock: any Clock

    /// Interval between two checks for expired leases.
    private static let lookMilliseconds = 100

    /// - Parameters:
    ///   - reader: The reader that takes and releases leases; its clock dates their expiry here.
    ///   - label: A name of this process, for people.
    ///   - seconds: Lifetime of a lease that is not renewed.
    package init(_ source: LinkSource, _ reader: DatabaseReader, label: String, seconds: Int) {
        self.reader = reader
        self.label = label
        self.seconds = seconds
        clock = reader.clock
        held = HeldLeases(clock: clock)
        isClosed = Monitor(false, clock: clock)
        let renewal = LeaseRenewal(
            source: source, held: held, holder: holder, seconds: seconds, isClosed: isClosed,
            clock: clock)
        PlatformThread.detached(name: "ipnd-lease") { renewal.run() }
        look = Task.detached(executorPreference: WorkerPool.shared) { [held, clock] in
            while !Task.isCancelled {
                held.dropExpired()
                try? await clock.sleep(milliseconds: Self.lookMilliseconds)
            }
        }
    }

    deinit { close() }

    /// Takes the lease; nil while another process holds it.
    ///
    /// - Parameter onLoss: Called once, from any thread, when the lease is or may be lost.
    package func take(
        _ name: String, onLoss: @escaping @Sendable () -> Void
    ) async throws(ReadFailure) -> Lease? {
        let expires = clock.now.advanced(seconds: seconds)
        let (holder, label, seconds) = (holder, label, Int64(seconds))
        let fence = try await reader.read { session throws(PostgresError) -> Int64? in
            let look = try session.run([Command(Self.look).with(name).with(holder)])[0]
            if look.rowCount == 1, try look.integer(0, 0) == 0 { return nil }
            let rows = try session.commit([
                Command(Self.take).with(name).with(holder).with(label).with(seconds)
            ])[0]
            return rows.rowCount == 1 ? try rows.integer(0, 0) : nil
        }
        guard let fence, clock.now < expires else { return nil }
        let lease = Lease(name: name, holder: holder, fence: fence)
        held.add(lease, until: expires, onLoss: onLoss)
        return lease
    }

    /// Whether the lease is surely still held. Cheap.
    package func holds(_ lease: Lease) -> Bool { held.holds(lease) }

    /// Releases the lease, so that another process need not wait until it expires.
    package func release(_ lease: Lease) async {
        guard held.remove(lease) else { return }
        // If this fails, the lease expires.
        try? await reader.read { session throws(PostgresError) in
            _ = try session.commit([Command(Self.release).with(lease)])
        }
    }

    /// Stops renewing.
    package func close() {
        look.cancel()
        isClosed.withLock { $0 = true }
        isClosed.wakeAll()
    }

    private static let look = Statement(
        name: "lease_look",
        sql: "SELECT holder = $2 OR expires <= clock_timestamp() FROM lease WHERE name = $1")
    private static let take = Statement(
        name: "lease_take",
        sql: """
            INSERT INTO lease (name, fence, holder, label, taken, expires)
            VALUES ($1, 1, $2, $3, clock_timestamp(),
                clock_timestamp() + make_interval(secs => $4))
            ON CONFLICT (name) DO UPDATE SET fence = lease.fence + 1, holder = excluded.holder,
                label = excluded.label, taken = clock_timestamp(),
                expires = clock_timestamp() + make_interval(secs => $4)
            WHERE lease.holder = excluded.holder OR lease.expires <= clock_timestamp()
            RETURNING fence
            """)
    private static let release = Statement(
        name: "lease_release",
        sql: """
            UPDATE lease SET expires = clock_timestamp()
            WHERE name = $1 AND holder = $2 AND fence = $3
            """)
}
