import Journal
import Records
import Sealing

/// The records of a journal that another process may be writing.
package enum SealedJournal {
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
