import Payments
import Platform
import Store
import Synchronization

/// The index that answers lists, while there is one.
package final class ServedIndex: Sendable {
    private struct State {
        var index: OrderIndex?
        /// Whether it has caught up with the journal since it was opened: lists are then complete.
        var isComplete = false
        /// Why there is none.
        var reason = "the index is being opened"
        /// Damage that a reader has found.
        var damage: IndexDamage?
        var rebuilds = 0
    }

    private let state = Mutex(State())
    /// Wakes the thread that fills the index.
    let bell: IndexBell
    private let firstTry: IndexBell

    package init(clock: any Clock) {
        bell = IndexBell(clock: clock)
        firstTry = IndexBell(clock: clock)
    }

    /// Whether lists are answered.
    package var isAvailable: Bool { state.withLock { $0.isComplete } }

    /// The last record that is in the index; 0 when there is none.
    package var indexedSequence: UInt64 { state.withLock { $0.index }?.indexedSequence ?? 0 }

    /// Number of rebuilds of a damaged or removed index since the start.
    package var rebuilds: Int { state.withLock { $0.rebuilds } }

    /// Blocks until lists are answered or the first try to open the index has failed, at most for
    /// `milliseconds`.
    package func awaitFirstTry(milliseconds: Int32) {
        firstTry.wait(microseconds: Int(milliseconds) * 1000)
    }

    /// Whether the index in a directory is small enough to be checked within about a quarter of a
    /// second: some 300,000 orders.
    package static func isSmall(in directory: String) -> Bool {
        (FileSize.of(OrderIndex.path(in: directory)) ?? 0) <= bytesInAMoment
    }

    private static let bytesInAMoment = 48 << 20

    /// Returns the result of `body` on the index. Throws `index_unavailable`.
    func read<Value: Sendable>(
        _ body: (OrderIndex) async throws -> Value
    ) async throws(ReadFailure) -> Value {
        let index = try present()
        // Nothing else checks an idle index: SQLite continues to read files without a name.
        if !index.isInPlace {
            report(Self.displaced, of: index)
            throw Self.unavailable(Self.beingRebuilt)
        }
        do { return try await body(index) } catch {
            report(error, of: index)
            throw Self.unavailable("the index cannot be read: \(IndexDamage.sentence(error))")
        }
    }

    /// Returns the index. Throws `index_unavailable` when there is none.
    func present() throws(ReadFailure) -> OrderIndex {
        let (index, reason) = state.withLock { ($0.isComplete ? $0.index : nil, $0.reason) }
        guard let index else { throw Self.unavailable(reason) }
        return index
    }

    private static func unavailable(_ reason: String) -> ReadFailure {
        ReadFailure("index_unavailable", "\(reason); single orders and events do not need it")
    }

    /// Reports an error of a reader. A damaged index is taken out of use and rebuilt.
    private func report(_ error: any Error, of index: OrderIndex) {
        guard IndexDamage.isReported(by: error) else { return }
        let isNew = state.withLock { state in
            guard state.index === index, state.damage == nil else { return false }
            let damage = IndexDamage(IndexDamage.sentence(error))
            state.damage = damage
            state.isComplete = false
            state.reason = Self.beingRebuilt
            return true
        }
        if isNew { bell.ring() }
    }

    // MARK: For the indexer

    /// Sets an index that has been opened, and is about to be filled.
    func open(_ index: OrderIndex) {
        state.withLock { state in
            state.index = index
            state.isComplete = false
            state.damage = nil
            state.reason = "the index is being filled from the journal"
        }
    }

    /// Answers lists from the index, which has caught up.
    func serve() {
        state.withLock { $0.isComplete = $0.damage == nil }
        firstTry.ring()
    }

    /// Removes the index, and answers lists with `reason`.
    func withdraw(_ reason: String) {
        state.withLock { state in
            state.index = nil
            state.isComplete = false
            state.reason = reason
        }
        firstTry.ring()
    }

    /// Counts a rebuild.
    func countRebuild() { state.withLock { $0.rebuilds += 1 } }

    /// Throws damage that a reader has found, or that the files show.
    func check(_ index: OrderIndex) throws(IndexDamage) {
        if let damage = state.withLock({ $0.damage }) { throw damage }
        guard index.isInPlace else { throw Self.displaced }
    }

    private static let displaced = IndexDamage("its files were removed, replaced or truncated")
    private static let beingRebuilt = "the index is damaged and is being rebuilt"
}

extension ServedIndex: OrderLists {
    package var isBehind: Bool { true }

    package func sequence() async throws(ReadFailure) -> UInt64 { try present().indexedSequence }

    package func page(
        _ query: OrderQuery, limit: Int
    ) async throws(ReadFailure) -> OrderListPage {
        try await read { index in try await index.page(query, limit: limit) }
    }

    package func overdueCount() async -> Int? {
        try? await read { index in try await index.overdueCount() }
    }

    package func paidHours(since time: Timestamp) async throws(ReadFailure) -> PaidHours {
        try await read { index in try await index.paidHours(since: time) }
    }
}
