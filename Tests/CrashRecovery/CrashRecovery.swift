import Glibc
import Journal
import JournalStore
import Platform
import Records
import Sealing

/// Opens journals as a restart would, many in one process: `scripts/crash-replay` creates a
/// directory for each state that a crash could leave, and checks what is recovered from it.
///
/// For each directory named on standard input, writes one line to standard output: `recovered`, the
/// number of bytes cut from a torn tail, and the references of all records in order; or `refused`
/// and the reason.
///
/// With sealed records the file of the master key is the argument. Then the keys of exactly those
/// records must be gone that an erasure names.
@main
enum CrashRecovery {
    private struct Forgotten: Error { let reference: String }
    /// A record that is erased and should not be, or the other way round.
    private struct WronglyErased: Error { let sequence: UInt64 }

    static func main() async {
        while let directory = readLine() {
            do {
                print("recovered \(try await recover(directory))")
            } catch let error as Forgotten {
                print("refused the store does not know the order \(error.reference)")
            } catch let error as WronglyErased {
                print("refused the keys contradict the erasures at record \(error.sequence)")
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
        options.masterKeys = masters
        return options
    }

    private static let masters: [MasterKey] = {
        guard CommandLine.arguments.count > 1 else { return [] }
        let text = (try? FileContents(path: CommandLine.arguments[1], bytesMax: 1024).bytes) ?? []
        guard let key = MasterKey.key(from: text), let master = MasterKey(name: "first", key: key)
        else { preconditionFailure("no master key") }
        return [master]
    }()

    private static func checkErasures(
        _ store: JournalStore, _ events: [RecordedEvent], _ records: [[UInt8]]
    ) throws {
        guard var opener = store.keys?.opener() else { return }
        var erased = ErasedRecords([])
        for event in events { event.action?.erased.map { erased.formUnion($0) } }
        for (event, record) in zip(events, records) where event.hasRequest {
            let opened = try opener.open(record)
            let isErased = opened.firstRange(of: Array(#","erased":"request"}"#.utf8)) != nil
            guard isErased == erased.contains(event.sequence) else {
                throw WronglyErased(sequence: event.sequence)
            }
        }
    }

    /// Opens the store, which trusts a snapshot, and then reads every record without a snapshot.
    /// Both must have the same orders.
    private static func recover(_ directory: String) async throws -> String {
        let store = try JournalStore(directory: directory, options: options)
        var events: [RecordedEvent] = []
        var records: [[UInt8]] = []
        do {
            var reader = try JournalReader(directory: directory)
            _ = try reader.read { _, record in
                events.append(try RecordDecoder.event(record))
                if !masters.isEmpty { records.append([UInt8](record)) }
            }
            try checkErasures(store, events, records)
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
