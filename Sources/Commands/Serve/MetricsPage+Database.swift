import PostgreSQLStore
import Receiver

extension MetricsPage {
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
