import Glibc
import Journal
import JournalStore
import Records

/// Opens journals as a restart would, many in one process: `scripts/crash-replay` makes a directory
/// for each state that a crash could leave, and asks what is recovered from it.
///
/// For each directory named on standard input, one line on standard output: `recovered`, how many
/// bytes of a torn tail were cut, and the references of all records in order; or `refused` and why.
@main
enum CrashRecovery {
    private struct Forgotten: Error { let reference: String }

    static func main() async {
        while let directory = readLine() {
            do {
                print("recovered \(try await recover(directory))")
            } catch let error as Forgotten {
                print("refused the store does not know the order \(error.reference)")
            } catch {
                print("refused \(error)")
            }
            fflush(nil)
        }
    }

    private static var options: JournalStoreOptions {
        var options = JournalStoreOptions()
        options.journal.segmentBytes = 2 << 20
        options.journal.frameBytesMax = 1 << 20
        options.journal.recordBytesMax = 1 << 19
        options.journal.preparesInBackground = false
        options.snapshotRecords = 0
        return options
    }

    /// Through the store, which trusts a snapshot, and then by reading every record, which trusts
    /// none. Both must know the same orders.
    private static func recover(_ directory: String) async throws -> String {
        let store = try JournalStore(directory: directory, options: options)
        var events: [RecordedEvent] = []
        do {
            var reader = try JournalReader(directory: directory)
            _ = try reader.read { _, record in events.append(try RecordDecoder.event(record)) }
            // A query is a turn of the committer's thread; the newest orders come from the journal,
            // a sample of the others from the snapshot.
            let sample = max(1, events.count / 16)
            for (index, event) in events.enumerated()
            where index % sample == 0 || index + 8 > events.count {
                guard let reference = event.notification.reference else { continue }
                if await store.order(endpoint: event.endpoint, reference: reference) == nil {
                    throw Forgotten(reference: reference)
                }
            }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        let references = events.map { $0.notification.reference ?? "?" }
        return "\(store.recovery.torn?.bytes ?? 0) \(references.joined(separator: " "))"
    }
}
