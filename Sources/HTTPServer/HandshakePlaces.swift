import Platform

/// Limits the TLS handshakes that one loop has under way. Each takes some 60 KiB until it is done,
/// mostly OpenSSL's buffers, even when its client has fallen silent. Beyond the limit the oldest
/// handshake gives way to a new one once it is a second old. Until then the new one waits, with its
/// bytes in the kernel; of those that wait the newest comes first, because it has the most time
/// left.
///
/// Lives on its loop's thread only.
final class HandshakePlaces {
    private struct Holder {
        let connection: Connection
        let since: MonotonicTime
    }

    /// In the order of their beginnings.
    private var holders: [Holder] = []
    /// The newest last.
    private var waiting: [Connection] = []
    private let loops: Int

    /// A younger handshake is probably about to be answered: this is many round trips.
    static let ageSecondsMin = 1

    init(loops: Int) { self.loops = loops }

    /// Gives `connection` a place and returns nil, or returns when to ask again at the latest. The
    /// connection is interrupted when a place becomes free before that.
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

    /// The handshake of `connection` has ended, well or not, or is not waited for any more.
    func end(_ connection: Connection) {
        holders.removeAll { $0.connection === connection }
        waiting.removeAll { $0 === connection }
        waiting.last?.channel.interrupt()
    }
}
