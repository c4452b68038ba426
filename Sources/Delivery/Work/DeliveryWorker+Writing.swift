extension DeliveryWorker {
    /// Writes what has changed since the last time.
    func write() async {
        guard plan != nil, !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        nextWrite = now() + writeMicroseconds
        let write = unwritten ?? takeWrite()
        let generation = generation
        do throws(DeliveryStateFailure) {
            try await state.write(write)
            guard generation == self.generation else { return }
            unwritten = nil
            stateTrouble = nil
            progress.note(write.changes.cursor, of: destination.name)
            for sequence in write.changes.new { events[sequence] = nil }
            for id in write.answers.keys { answered.remove(id) }
            if plan?.holdsCursor == true { isTouched = true }
        } catch {
            // The lease was lost meanwhile: what is left of it must not be written under a new one.
            guard generation == self.generation else { return }
            guard error != .leaseLost else { return loseLease() }
            unwritten = write
            isTouched = true
            meet(stateFailure: error)
        }
    }

    private func takeWrite() -> DeliveryWrite {
        isTouched = false
        let changes = plan?.takeChanges() ?? DeliveryChanges(cursor: 0)
        let (attempts, answers) = (log, answers)
        log = []
        self.answers = [:]
        var new: [UInt64: FeedEvent] = [:]
        for sequence in changes.new { new[sequence] = events[sequence] }
        return DeliveryWrite(
            destination: destination.name, lease: lease, changes: changes, events: new,
            attempts: attempts, attemptsMax: limits.attemptsMax, answers: answers)
    }
}
