import Synchronization

/// Whether the server wants notifications: what `/readyz` tells.
final class Readiness: Sendable {
    private let value = Atomic(false)

    var isReady: Bool { value.load(ordering: .acquiring) }

    func set(_ isReady: Bool) { value.store(isReady, ordering: .releasing) }
}
