import Journal
import Platform
import Receiver

extension MetricsPage {
    /// Writes the index's last record and its lag.
    mutating func write(indexed: UInt64, recorded: UInt64) {
        write(recorded: recorded)
        family("ipnd_index_sequence", "gauge", "The last record in the index of orders.")
        sample("ipnd_index_sequence", [], indexed)
        family("ipnd_index_lag_records", "gauge", "Records not yet in the index.")
        sample("ipnd_index_lag_records", [], recorded - min(recorded, indexed))
    }

    mutating func write(recorded: UInt64) {
        family("ipnd_sequence", "gauge", "The last durable record.")
        sample("ipnd_sequence", [], recorded)
    }

    /// - Parameter overdue: Nil while the lists cannot be read.
    mutating func write(overdue: Int?) {
        guard let overdue else { return }
        family(
            "ipnd_orders_overdue", "gauge",
            "Expected orders past their expiry without a final status.")
        sample("ipnd_orders_overdue", [], overdue)
    }

    /// Writes the identity of the store.
    mutating func write(store: String) {
        family("ipnd_store_info", "gauge", "1, with the identity of the store.")
        sample("ipnd_store_info", [("store", store)], 1)
    }

    /// Writes whether lists are available.
    mutating func write(indexIsAvailable: Bool, rebuilds: Int) {
        family("ipnd_index_available", "gauge", "1 while lists are answered from the index.")
        sample("ipnd_index_available", [], indexIsAvailable ? 1 : 0)
        family(
            "ipnd_index_rebuilds_total", "counter",
            "Rebuilds of a damaged or removed index.")
        sample("ipnd_index_rebuilds_total", [], rebuilds)
    }

    /// Writes the memory held for slow readers of the admin listener.
    mutating func write(heldForReaders bytes: Int, dropped: Int) {
        family(
            "ipnd_readers_held_bytes", "gauge",
            "Bytes of answers not yet read by clients.")
        sample("ipnd_readers_held_bytes", [], bytes)
        family(
            "ipnd_readers_dropped_total", "counter",
            "Slow readers dropped at limits.answersBytesMax.")
        sample("ipnd_readers_dropped_total", [], dropped)
    }

    /// Writes the journal's size and the free space on its disk.
    mutating func write(journal directory: String) {
        guard let space = JournalSpace.read(directory: directory) else { return }
        let gauges: [(String, String, Int)] = [
            ("ipnd_journal_bytes", "Bytes of the journal's segments.", space.bytes),
            ("ipnd_journal_segments", "Segments in place.", space.segments),
            (
                "ipnd_journal_available_bytes", "Free bytes on the journal's disk.",
                space.bytesAvailable
            ),
        ]
        for (name, help, value) in gauges {
            family(name, "gauge", help)
            sample(name, [], value)
        }
    }

    /// Writes the expiry of TLS certificates.
    mutating func write(certificates: [(listener: String, notAfter: Int64)]) {
        guard !certificates.isEmpty else { return }
        family(
            "ipnd_certificate_expiry_timestamp_seconds", "gauge",
            "When the first certificate of a listener expires.")
        for (listener, notAfter) in certificates {
            sample(
                "ipnd_certificate_expiry_timestamp_seconds", [("listener", listener)], notAfter)
        }
    }
}
