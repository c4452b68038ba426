import Journal
import Platform
import Store

/// One batch after the other: durable, published, answered, remembered; or refused as a whole.
extension Committer {
    /// Makes the frame durable, says so, and resumes the tasks that wait for it.
    func commit() {
        if environment.plantedDefect == .answersBeforeSync { answerWaiting() }
        if failure == nil && !ledger.batch.isEmpty {
            let records = journal.pendingCount
            let start = environment.clock.now.nanoseconds
            do { try journal.commit() } catch {
                switch error {
                case .noSpace, .needsSegment:
                    counters.setSpaceIsMissing(true)
                    return refuseBatch(.noSpace)
                default:
                    return fail(error)
                }
            }
            let end = environment.clock.now.nanoseconds
            counters.countBatch(
                records: records, conflicts: conflicts, ignored: ignored,
                nanoseconds: Int(end - start), syncNanoseconds: journal.lastSyncNanoseconds)
            duties.noteWrite(at: end)
            counters.setSpaceIsMissing(false)
            publish()
        }
        answerWaiting()
        finishBatch()
    }

    private func answerWaiting() {
        for (continuation, receipt) in waiting { continuation.resume(returning: receipt) }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Before the answers: who has one finds its record in the feed at once.
    private func publish() {
        recent.publish(heads)
        heads.removeAll()
        if commitFeed.publish(journal.durableSequence, changedOrders) {
            duties.noteCommit(isUrgent: !changedOrders.isEmpty)
        }
        changedOrders.removeAll(keepingCapacity: true)
    }

    /// The callers are on their way already; now the tables learn what is durable. Queries come
    /// after it.
    private func finishBatch() {
        conflicts = 0
        ignored = 0
        guard !ledger.batch.isEmpty else { return }
        ledger.applyBatch()
        noteRemembered()
    }

    func noteRemembered() {
        counters.setRemembered(
            events: ledger.tables.eventCount, orders: ledger.tables.orderCount)
    }

    /// Nothing was written and the journal forgot the records: so does everything else. Duplicates
    /// of this batch's events are refused with it, for what they repeat is not durable.
    private func refuseBatch(_ refusal: StoreRefusal) {
        ledger.batch.drop()
        heads.removeAll()
        changedOrders.removeAll(keepingCapacity: true)
        conflicts = 0
        ignored = 0
        for (continuation, _) in waiting {
            continuation.resume(returning: Receipt(.refused(refusal)))
        }
        waiting.removeAll(keepingCapacity: true)
    }

    func answerQueries() {
        for query in queries { query(ledger.tables) }
        queries.removeAll(keepingCapacity: true)
    }

    /// What is on disk is unknown: the process ends here. When a test's handler returns, everything
    /// is refused from now on.
    func fail(_ error: JournalError) {
        environment.fatal(error)
        failure = error
        refuseBatch(.failed)
    }
}
