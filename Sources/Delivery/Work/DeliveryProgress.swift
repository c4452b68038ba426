import Synchronization

/// The cursors of an instance's destinations. Retention waits for the slowest.
package final class DeliveryProgress: Sendable {
    private let cursors: Mutex<[String: UInt64]>

    /// - Parameter destinations: their names. Each cursor is 0 until the state was read.
    package init(_ destinations: [String]) {
        let unknown = destinations.map { ($0, UInt64(0)) }
        cursors = Mutex(Dictionary(unknown, uniquingKeysWith: { first, _ in first }))
    }

    /// Everything up to here is delivered to all destinations, or kept in the state with its
    /// record; nil without destinations.
    package var deliveredThrough: UInt64? { cursors.withLock { $0.values.min() } }

    func note(_ cursor: UInt64, of destination: String) {
        cursors.withLock { $0[destination] = cursor }
    }
}
