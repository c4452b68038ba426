import Synchronization

/// How far all destinations of an instance were told, by the state: what retention waits for.
package final class DeliveryProgress: Sendable {
    private let cursors: Mutex<[String: UInt64]>

    /// Of these destinations, whose positions are not known yet.
    package init(_ destinations: [String]) {
        let unknown = destinations.map { ($0, UInt64(0)) }
        cursors = Mutex(Dictionary(unknown, uniquingKeysWith: { first, _ in first }))
    }

    /// Everything up to here is told everywhere, or kept in the state with its record; nil when
    /// there are no destinations.
    package var toldThrough: UInt64? { cursors.withLock { $0.values.min() } }

    func note(_ cursor: UInt64, of destination: String) {
        cursors.withLock { $0[destination] = cursor }
    }
}
