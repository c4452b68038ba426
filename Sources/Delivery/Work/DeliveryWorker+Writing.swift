extension DeliveryWorker {
    /// Writes what has changed since the last time.
    func write() async {
        guard plan != nil, !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        nextWrite = Self.now() + writeMicroseconds
        let write = unwritten ?? takeWrite()
        do throws(DeliveryStateFailure) {
            try await state.write(write)
            unwritten = nil
            stateTrouble = nil
            for sequence in write.changes.new { events[sequence] = nil }
            if plan?.holdsCursor == true { isTouched = true }
        } catch {
            guard error != .leaseLost else { return loseLease() }
            unwritten = write
            isTouched = true
            meet(stateFailure: error)
        }
    }

    private func takeWrite() -> DeliveryWrite {
        isTouched = false
        let changes = plan?.takeChanges() ?? DeliveryChanges(cursor: 0)
        let attempts = log
        log = []
        var new: [UInt64: FeedEvent] = [:]
        for sequence in changes.new { new[sequence] = events[sequence] }
        return DeliveryWrite(
            destination: destination.name, changes: changes, events: new, attempts: attempts,
            attemptsMax: limits.attemptsMax)
    }
}
