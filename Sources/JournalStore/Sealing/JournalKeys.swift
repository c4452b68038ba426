import Cryptography
import Journal
import Records
import Sealing
import Store

/// The key ring of a journal and its file.
///
/// The file is durable before the first record that needs it, and is written again only when keys
/// are destroyed, or when another master key comes first.
final class JournalKeys: Sendable {
    /// The ring, which the writer and the readers share.
    let keys: RecordKeys
    private let master: MasterKey
    private let directory: String
    private let storage: any Storage

    private init(_ ring: KeyRing, _ master: MasterKey, _ directory: String, _ storage: any Storage)
    {
        keys = RecordKeys(ring)
        self.master = master
        self.directory = directory
        self.storage = storage
    }

    /// Opens the ring of a journal, or makes one; nil when the journal is not sealed and is not to
    /// be.
    ///
    /// Throws `keys` when records are sealed and their keys are missing or cannot be unwrapped, and
    /// `unusable` when the file cannot be read or written. That is never ignored: new records would
    /// be stored as they are.
    static func open(
        _ journal: JournalWriter, _ masters: [MasterKey]
    ) throws(JournalError) -> JournalKeys? {
        let (directory, storage) = (journal.directory, journal.storage)
        let file = try KeysFile.read(in: directory, storage: storage)
        let note = try JournalNote.find(directory, storage: storage)
        guard let master = masters.first else {
            guard let file else {
                if note?.sealedFrom != nil { throw .keysMissing(directory) }
                return nil
            }
            throw .keys(
                reason: "master_key_missing",
                detail: "\(directory): records are sealed, and no `personal.masterKeys` are "
                    + "configured; the keys are wrapped by the master key "
                    + "\"\(KeyRing.masterName(of: file) ?? "?")\". To store records as they are "
                    + "again, run `ipnd journal unseal`")
        }
        let identity = "\(journal.identity)"
        guard let file else {
            guard note?.sealedFrom == nil else { throw .keysMissing(directory) }
            let ring = KeyRing(randomFor: identity)
            let made = JournalKeys(ring, master, directory, storage)
            try made.write(ring)
            try journal.noteSealing()
            return made
        }
        var ring = try read(file, masters, directory)
        guard StoreIdentity(hexadecimal: ring.store).map({ note?.knows($0) ?? false }) ?? false
        else {
            throw .keys(
                reason: KeyRingError.foreign(store: ring.store).reason,
                detail: "\(directory)/\(KeysFile.name): \(KeyRingError.foreign(store: ring.store))")
        }
        // Sequences that are used again after a loss of records may have been erased.
        let isRenewed = ring.tree.key(of: journal.nextSequence) == nil
        if isRenewed { ring.renew(from: journal.nextSequence) }
        let opened = JournalKeys(ring, master, directory, storage)
        if isRenewed || KeyRing.masterName(of: file) != master.name { try opened.write(ring) }
        try journal.noteSealing()
        return opened
    }

    private static func read(
        _ file: [UInt8], _ masters: [MasterKey], _ directory: String
    ) throws(JournalError) -> KeyRing {
        do throws(KeyRingError) {
            return try KeyRing(unwrapping: file, of: nil, with: masters)
        } catch {
            throw .keys(
                reason: error.reason, detail: "\(directory)/\(KeysFile.name): \(error)")
        }
    }

    /// Destroys the keys of these records: when it returns, the disk has none of them, and no
    /// reader gets one. Throws `unusable`; then everything is as before.
    func destroy(_ records: [ClosedRange<UInt64>]) throws(JournalError) {
        guard var ring = keys.current else { return }
        ring.destroy(records)
        try write(ring)
        keys.replace(ring)
    }

    private func write(_ ring: KeyRing) throws(JournalError) {
        let bytes: [UInt8]
        do throws(KeyError) { bytes = try ring.wrapped(by: master) } catch {
            throw .keys(reason: "keys_not_wrapped", detail: "\(error)")
        }
        try KeysFile.write(bytes, in: directory, storage: storage)
    }
}

extension JournalError {
    fileprivate static func keysMissing(_ directory: String) -> JournalError {
        .keys(
            reason: "keys_missing",
            detail: "\(directory) has sealed records and no file `\(KeysFile.name)`: without it "
                + "their personal parts are lost. Put it back from a backup; or remove "
                + "`\(directory)/identity` to go on without it")
    }
}
