/// What the committer does between batches without being asked.
extension Committer {
    /// The idle marker and whatever else is due.
    func performDuties() {
        guard let deadline = duties.idleDeadline else { return }
        let now = StoreThread.now
        guard now >= deadline, duties.takeIdleMarker(at: now) else { return }
        do { try journal.markIdle() } catch { fail(error) }
    }

    /// The orderly end: the journal says that it is idle and lets go of the directory.
    func close(_ continuation: UnsafeContinuation<Void, Never>) {
        journal.close()
        continuation.resume()
    }
}
