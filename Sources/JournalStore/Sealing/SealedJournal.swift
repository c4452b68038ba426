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
