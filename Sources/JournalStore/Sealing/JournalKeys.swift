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
    /// A crash may have come between the record of an erasure and the file, or the file may be an
    /// older copy: the keys of `erased` are destroyed if they are still there.
    ///
    /// Throws `keys` when records are sealed and their keys are missing or cannot be unwrapped, and
    /// `unusable` when the file cannot be read or written. That is never ignored: new records would
    /// be stored as they are.
    static func open(
        _ journal: JournalWriter, _ masters: [MasterKey], erased: ErasedRecords
    ) throws(JournalError) -> JournalKeys? {
        let (directory, storage) = (journal.directory, journal.storage)
        guard let (file, stored) = try stored(in: directory, storage, masters) else {
            guard let master = masters.first else { return nil }
            let ring = KeyRing(randomFor: "\(journal.identity)")
            let made = JournalKeys(ring, master, directory, storage)
            try made.write(ring)
            try journal.noteSealing()
            return made
        }
        var ring = stored
        let master = masters[0]
        // Sequences that are used again after a loss of records may have been erased.
        let isRenewed = !ring.tree.isWhole(from: journal.nextSequence)
        if isRenewed { ring.renew(from: journal.nextSequence) }
        let isUnfinished = ring.hasKey(in: erased.ranges)
        if isUnfinished { ring.destroy(erased.ranges) }
        let opened = JournalKeys(ring, master, directory, storage)
        if isRenewed || isUnfinished || KeyRing.masterName(of: file) != master.name {
            try opened.write(ring)
        }
        try journal.noteSealing()
        return opened
    }

    /// The file of a journal and its ring; nil when there is none. Throws as `open` does.
    static func stored(
        in directory: String, _ storage: any Storage, _ masters: [MasterKey]
    ) throws(JournalError) -> (file: [UInt8], ring: KeyRing)? {
        let note = try JournalNote.find(directory, storage: storage)
        guard let file = try KeysFile.read(in: directory, storage: storage) else {
            guard note?.sealedFrom == nil else { throw .keysMissing(directory) }
            return nil
        }
        guard !masters.isEmpty else {
            throw .keys(
                reason: "master_key_missing",
                detail: "\(directory): records are sealed, and no `personal.masterKeys` are "
                    + "configured; the keys are wrapped by the master key "
                    + "\"\(KeyRing.masterName(of: file) ?? "?")\". To store records as they are "
                    + "again, run `ipnd journal unseal`")
        }
        let ring: KeyRing
        do throws(KeyRingError) {
            ring = try KeyRing(unwrapping: file, of: nil, with: masters)
        } catch {
            throw .keys(reason: error.reason, detail: "\(directory)/\(KeysFile.name): \(error)")
        }
        guard StoreIdentity(hexadecimal: ring.store).map({ note?.knows($0) ?? false }) ?? false
        else {
            throw .keys(
                reason: KeyRingError.foreign(store: ring.store).reason,
                detail: "\(directory)/\(KeysFile.name): \(KeyRingError.foreign(store: ring.store))")
        }
        return (file, ring)
    }

    /// Writes a file without the keys of these records beside the present one, and returns its
    /// ring. Throws `unusable`; then everything is as before.
    func prepare(without records: ErasedRecords) throws(JournalError) -> KeyRing? {
        guard var ring = keys.current else { return nil }
        ring.destroy(records.ranges)
        try KeysFile.prepare(wrapped(ring), in: directory, storage: storage)
        return ring
    }

    /// Puts the prepared file in its place: when it returns, the disk has none of the destroyed
    /// keys, and no reader gets one. Throws `unusable`.
    func install(_ ring: KeyRing) throws(JournalError) {
        try KeysFile.install(in: directory, storage: storage)
        keys.replace(ring)
    }

    /// Takes back what was prepared.
    func discard() { KeysFile.discard(in: directory, storage: storage) }

    private func write(_ ring: KeyRing) throws(JournalError) {
        try KeysFile.write(wrapped(ring), in: directory, storage: storage)
    }

    private func wrapped(_ ring: KeyRing) throws(JournalError) -> [UInt8] {
        do throws(KeyError) { return try ring.wrapped(by: master) } catch {
            throw .keys(reason: "keys_not_wrapped", detail: "\(error)")
        }
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
