import Cryptography
import Journal
import Records
import Sealing

/// The records of a journal that another process may be writing.
package enum SealedJournal {
    /// Throws `keys` when a server with these master keys would not start for the lack of a key.
    package static func check(
        _ directory: String, _ masters: [MasterKey], storage: any Storage = PosixStorage()
    ) throws(JournalError) {
        _ = try JournalKeys.stored(in: directory, storage, masters)
    }

    /// The file of keys without those of erased records, which an older copy of it still has. Nil
    /// without a file.
    ///
    /// Throws `keys` when records were erased and the file cannot be unwrapped.
    package static func keys(
        _ directory: String, without erased: ErasedRecords, _ masters: [MasterKey]
    ) throws(JournalError) -> [UInt8]? {
        if erased.isEmpty { return try KeysFile.read(in: directory) }
        guard let (file, stored) = try JournalKeys.stored(in: directory, PosixStorage(), masters)
        else { return nil }
        guard stored.hasKey(in: erased.ranges) else { return file }
        var ring = stored
        ring.destroy(erased.ranges)
        do throws(KeyError) { return try ring.wrapped(by: masters[0]) } catch {
            throw .keys(reason: "keys_not_wrapped", detail: "\(error)")
        }
    }

    /// Returns what opens them; nil when they are not sealed, or when there is no key to open them
    /// with.
    ///
    /// Throws `keys` when the keys cannot be unwrapped by these master keys.
    package static func opener(
        _ directory: String, _ masters: [MasterKey]
    ) throws(JournalError) -> RecordOpener? {
        guard !masters.isEmpty, let file = try KeysFile.read(in: directory) else { return nil }
        do throws(KeyRingError) {
            return RecordOpener(try KeyRing(unwrapping: file, of: nil, with: masters))
        } catch {
            throw .keys(reason: error.reason, detail: "\(directory)/\(KeysFile.name): \(error)")
        }
    }
}
