import Journal
import Payments
import Platform

/// What the committer does between batches.
extension Committer {
    /// Notifying readers, the idle marker, a snapshot, forgetting: whatever is due.
    func performDuties(isClosing: Bool) {
        guard !hasFailed else { return }
        let now = environment.clock.now.nanoseconds
        checkPlace(at: now)
        guard !hasFailed else { return }
        checkPreparation()
        let isSnapshotDue = duties.takeSnapshot(
            at: ledger.tables.sequence, remembered: ledger.tables.eventCount, now: now,
            isClosing: isClosing)
        if isSnapshotDue { beginSnapshot() }
        if isClosing { snapshotPace?.hurry() }
        if duties.takeNotification(at: now) { commitFeed.announce() }
        if duties.takeIdleMarker(at: now) { markIdle() }
        if let shard = duties.takeShardToForget() { forget(shard) }
    }

    /// Warns once of each failure: mostly there is still room in the present segment.
    private func checkPreparation() {
        guard let error = journal.preparationFailure else {
            warnedOfPreparation = false
            return
        }
        guard !warnedOfPreparation else { return }
        warnedOfPreparation = true
        environment.warn(
            "the next segment cannot be prepared: \(error). Notifications are refused once the "
                + "present one is full")
    }

    /// A second without a commit: duplicates alone do not show that the journal has been moved
    /// away.
    private func checkPlace(at now: UInt64) {
        guard now >= nextPlaceCheck else { return }
        nextPlaceCheck = now + Self.placeCheckNanoseconds
        do { try journal.checkPlace() } catch { fail(error) }
    }

    /// What an earlier process recorded after its `snapshot` is as old as it is: restarts do not
    /// put the next one off.
    func beginDuties(after snapshot: UInt64) {
        let now = environment.now
        let received = ledger.tables.ages.received(notAfter: snapshot + 1) ?? now
        // A clock that was set back makes nothing older.
        let age = max(0, now.microseconds - received.microseconds)
        duties.begin(
            at: environment.clock.now.nanoseconds, sequence: ledger.tables.sequence,
            ageSeconds: UInt64(age) / 1_000_000)
    }

    private func markIdle() {
        do { try journal.markIdle() } catch { fail(error) }
    }

    /// Hands a copy of the tables to a thread that writes it. The copy costs nothing until a part
    /// is next written, and that part only.
    private func beginSnapshot() {
        guard let point = journal.snapshotPoint else { return duties.endSnapshot() }
        let pace = WritingPace(clock: journal.storage.clock)
        snapshotPace = pace
        let job = SnapshotJob(
            of: journal.maintenance, point: point, tables: ledger.tables,
            options: options, pace: pace)
        let (queue, giveMemoryBack, warn) = (queue, environment.giveMemoryBack, environment.warn)
        PlatformThread.detached(name: "ipnd-snapshot", niceness: 5) {
            var failure: JournalError?
            do throws(JournalError) {
                if let warning = try job.run() { warn(warning) }
            } catch {
                failure = error
            }
            // Whatever was written meanwhile was in memory twice.
            giveMemoryBack()
            queue.add(notice: .snapshotEnded(failure))
        }
    }

    /// The snapshot's thread has ended.
    func endSnapshot(_ error: JournalError?) {
        duties.endSnapshot()
        snapshotPace = nil
        counters.countSnapshot(isGood: error == nil)
        if let error { environment.warn("snapshot not written: \(error)") }
        let reach = Int64(options.dedupRetainDays) * 86_400_000_000
        // Not the wall clock alone: one that is far ahead would make every event old at once.
        let now = min(environment.now.microseconds, journal.maintenance.microsecondsSeen)
        let oldest = Timestamp(microseconds: now - reach)
        if let sequence = ledger.tables.ages.firstKept(since: oldest) {
            duties.beginForgetting(before: sequence)
        }
    }

    /// Forgets the old events of one shard: one shard per batch, so that no batch waits long.
    private func forget(_ shard: (index: Int, before: UInt64)) {
        ledger.tables.forgetEvents(before: shard.before, shard: shard.index)
        if shard.index == StoreShard.count - 1 { ledger.tables.ages.forget(before: shard.before) }
        noteRemembered()
    }

    /// The orderly end: the journal says that it is idle and lets go of the directory.
    func close(_ continuation: UnsafeContinuation<Void, Never>) {
        journal.close()
        commitFeed.close()
        continuation.resume()
    }
}
