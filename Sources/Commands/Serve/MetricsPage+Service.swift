import Journal
import Platform
import PostgreSQLStore
import Receiver

extension MetricsPage {
    /// Writes process metrics under the names of Prometheus' client libraries, which general
    /// dashboards use.
    mutating func write(process: ProcessFigures?) {
        guard let process else { return }
        family(
            "process_cpu_seconds_total", "counter", "Processor time used, user and system.")
        sample(
            "process_cpu_seconds_total",
            text: Self.seconds(micros: process.processorNanoseconds / 1000))
        let gauges: [(String, String, Int)] = [
            ("process_resident_memory_bytes", "Resident memory.", process.residentBytes),
            ("process_virtual_memory_bytes", "Virtual memory.", process.virtualBytes),
            ("process_open_fds", "Open file descriptors.", process.openDescriptors),
            ("process_max_fds", "Maximum number of open file descriptors.", process.descriptorsMax),
            ("process_threads", "Threads.", process.threads),
            (
                "process_start_time_seconds", "When the process started, as a Unix time.",
                process.started
            ),
        ]
        for (name, help, value) in gauges {
            family(name, "gauge", help)
            sample(name, [], value)
        }
    }

    /// Writes the version.
    mutating func write(build version: String) {
        family("ipnd_build_info", "gauge", "1, with the version.")
        sample("ipnd_build_info", [("version", version)], 1)
    }

    /// Writes whether the last reload succeeded.
    mutating func write(configurationIsCurrent: Bool, readAt seconds: Int) {
        family(
            "ipnd_config_last_reload_successful", "gauge",
            "0 after a reload that was refused; 1 after a start or a reload.")
        sample("ipnd_config_last_reload_successful", [], configurationIsCurrent ? 1 : 0)
        family(
            "ipnd_config_last_reload_success_timestamp_seconds", "gauge",
            "When the running configuration was read, as a Unix time.")
        sample("ipnd_config_last_reload_success_timestamp_seconds", [], seconds)
    }

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

    /// Writes the metrics of a store in a database.
    mutating func write(_ figures: DatabaseFigures) {
        let counters: [(String, String, Int)] = [
            ("ipnd_records_total", "Records written since the start.", figures.records),
            ("ipnd_batches_total", "Transactions committed.", figures.batches),
            (
                "ipnd_database_failures_total",
                "Batches that failed or whose outcome was unknown; they are retried.",
                figures.failures
            ),
        ]
        for (name, help, value) in counters {
            family(name, "counter", help)
            sample(name, [], value)
        }
        family("ipnd_commit_seconds_total", "counter", "Time spent in transactions.")
        sample(
            "ipnd_commit_seconds_total",
            text: Self.seconds(micros: figures.commitNanoseconds / 1000))
        family("ipnd_database_commit_seconds", "histogram", "Duration of each batch.")
        histogram("ipnd_database_commit_seconds", [], figures.commitMicroseconds) {
            Self.seconds(micros: UInt64(clamping: $0))
        }
        family("ipnd_batch_records", "histogram", "Records per batch.")
        histogram("ipnd_batch_records", [], figures.batchRecords) { "\($0)" }
        let gauges: [(String, String, Int)] = [
            (
                "ipnd_queue_length", "Submissions waiting for the database.",
                figures.queueLength
            ),
            ("ipnd_database_up", "1 while the database answers.", figures.isUp ? 1 : 0),
        ]
        for (name, help, value) in gauges {
            family(name, "gauge", help)
            sample(name, [], value)
        }
    }
}
