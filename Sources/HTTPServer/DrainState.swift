import Synchronization

/// Whether the server is on its way out. Read by every connection on every loop.
package final class DrainState: Sendable {
    private let draining = Atomic(false)

    package init() {}

    package var isDraining: Bool { draining.load(ordering: .acquiring) }

    /// False when it had begun before.
    func begin() -> Bool { !draining.exchange(true, ordering: .acquiringAndReleasing) }
}
