import HTTP
import Platform

/// Limits the number of TLS handshakes in progress on one loop. Each takes some 60 KiB, mostly
/// OpenSSL's buffers, even if its client has fallen silent. Beyond the limit, the oldest handshake
/// is ended in favor of a new one if it is at least a second old. Until then the new one waits,
/// with its bytes in the kernel. Of the waiting connections the newest is first, because it has the
/// most time left.
///
/// Used on its loop's thread only.
final class HandshakePlaces {
    private struct Holder {
        let connection: Connection
        let since: MonotonicTime
    }

    /// In order of their start.
    private var holders: [Holder] = []
    /// In order of arrival, newest last.
    private var waiting: [Connection] = []
    private let loops: Int

    /// A younger handshake probably completes soon: a second is many round trips.
    static let ageSecondsMin = 1

    init(loops: Int) { self.loops = loops }

    /// Gives `connection` a place and returns nil, or returns the time by which it must ask again.
    /// The connection is interrupted if a place becomes free earlier.
    func begin(_ connection: Connection, now: MonotonicTime) -> MonotonicTime? {
        let placesMax = max(1, connection.limits.handshakesMax / loops)
        if holders.count >= placesMax, let oldest = holders.first {
            let end = oldest.since.advanced(seconds: Self.ageSecondsMin)
            guard now >= end else {
                if waiting.last !== connection {
                    waiting.removeAll { $0 === connection }
                    waiting.append(connection)
                }
                return end
            }
            holders.removeFirst()
            oldest.connection.channel.interrupt()
        }
        waiting.removeAll { $0 === connection }
        holders.append(Holder(connection: connection, since: now))
        return nil
    }

    /// Whether `connection` still has its place.
    func holds(_ connection: Connection) -> Bool {
        holders.contains { $0.connection === connection }
    }

    /// Frees the place of `connection`, or removes it from the waiting ones.
    func end(_ connection: Connection) {
        holders.removeAll { $0.connection === connection }
        waiting.removeAll { $0 === connection }
        waiting.last?.channel.interrupt()
    }
}
