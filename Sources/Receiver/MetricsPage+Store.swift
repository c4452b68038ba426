import Store

extension MetricsPage {
    /// Writes the store's figures.
    package mutating func write(_ statistics: StoreStatistics) {
        let counters: [(String, String, Int)] = [
            ("ipnd_records_total", "Records written since the start.", statistics.records),
            ("ipnd_batches_total", "Frames written, each with one fdatasync.", statistics.batches),
            ("ipnd_snapshots_total", "Snapshots written.", statistics.snapshots),
            (
                "ipnd_snapshot_failures_total", "Snapshots that failed.",
                statistics.snapshotFailures
            ),
        ]
        for (name, help, value) in counters {
            family(name, "counter", help)
            sample(name, [], value)
        }
        family("ipnd_commit_seconds_total", "counter", "Time spent writing and syncing.")
        sample(
            "ipnd_commit_seconds_total",
            text: Self.seconds(micros: UInt64(clamping: statistics.commitNanoseconds / 1000)))
        family(
            "ipnd_fdatasync_seconds", "histogram", "Duration of each fdatasync.")
        histogram("ipnd_fdatasync_seconds", [], statistics.syncMicroseconds) {
            Self.seconds(micros: UInt64(clamping: $0))
        }
        family("ipnd_batch_records", "histogram", "Records per batch.")
        histogram("ipnd_batch_records", [], statistics.batchRecords) { "\($0)" }
        let gauges: [(String, String, Int)] = [
            ("ipnd_queue_length", "Submissions waiting for the journal.", statistics.queueLength),
            ("ipnd_events_remembered", "Events in the dedup index.", statistics.eventsRemembered),
            ("ipnd_orders_remembered", "Orders in memory.", statistics.ordersRemembered),
            (
                "ipnd_disk_full", "1 while notifications are refused because the disk is full.",
                statistics.spaceIsMissing ? 1 : 0
            ),
        ]
        for (name, help, value) in gauges {
            family(name, "gauge", help)
            sample(name, [], value)
        }
    }

    /// Writes the server's figures.
    package mutating func write(connections: Int) {
        family("ipnd_connections", "gauge", "Open connections.")
        sample("ipnd_connections", [], connections)
    }

    /// Writes the number of wrong tokens at the admin listener, by the way they were sent.
    package mutating func write(wrongTokens: [(carrier: String, count: Int)]) {
        let name = "ipnd_admin_wrong_tokens_total"
        family(name, "counter", "Wrong tokens at the admin listener.")
        for (carrier, count) in wrongTokens { sample(name, [("way", carrier)], count) }
    }

    /// Writes the number of entries that the audit trail could not take.
    package mutating func write(auditFailures count: Int) {
        let name = "ipnd_audit_failures_total"
        family(name, "counter", "Entries of the audit trail that could not be written.")
        sample(name, [], count)
    }

    /// Writes the TLS handshakes of the listeners for notifications.
    package mutating func write(handshakes: (full: Int, resumed: Int)) {
        let name = "ipnd_tls_handshakes_total"
        family(name, "counter", "TLS handshakes, and whether an earlier session was resumed.")
        sample(name, [("resumed", "no")], handshakes.full)
        sample(name, [("resumed", "yes")], handshakes.resumed)
    }
}
