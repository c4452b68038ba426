import Cryptography
import SystemPackage

/// The facts about a journal outside its segments (Format.md, "Identity"): the file `identity` in
/// its directory, and the copies that other programs keep to recognise it.
package struct JournalNote: Sendable, Equatable {
    package var store: StoreIdentity
    /// Identities that it had before an operator accepted a loss of records. Older segments and
    /// snapshots carry them.
    package var former: [StoreIdentity] = []
    /// Retention has removed only segments before the one that begins with this sequence.
    package var first: UInt64 = 1
    /// The time that retention has seen pass, in µs since 1970; see `RetentionClock`.
    package var clock: Int64?
    /// Records from this one on are sealed: without the file `keys` the journal is incomplete. Nil
    /// while none are.
    package var sealedFrom: UInt64?
    /// The last sequence that was seen. Only copies outside the journal have it.
    package var sequence: UInt64?

    private static let title = "ipnd journal"
    private static let bytesMax = 1 << 16

    package init(store: StoreIdentity) { self.store = store }

    /// Whether `identity` is the journal's identity, or was one before.
    package func knows(_ identity: StoreIdentity) -> Bool {
        identity == store || former.contains(identity)
    }

    /// The file's content: lines of a word and a value, the last of them with the CRC32C of the
    /// others.
    package var text: String {
        var lines = [Self.title, "store \(store)"]
        lines += former.map { "was \($0)" }
        lines.append("first \(first)")
        if let clock { lines.append("clock \(clock)") }
        if let sealedFrom { lines.append("sealed \(sealedFrom)") }
        if let sequence { lines.append("sequence \(sequence)") }
        let text = lines.joined(separator: "\n") + "\n"
        return text + "check \(Self.checksum(of: text))\n"
    }

    /// Reads `text`; nil unless its checksum is right.
    package init?(_ text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "", let check = lines.popLast(), lines.first == Self.title[...],
            check == "check \(Self.checksum(of: lines.joined(separator: "\n") + "\n"))"
        else { return nil }
        let values = lines.dropFirst().map { $0.split(separator: " ") }
        guard values.allSatisfy({ $0.count == 2 }),
            let stores = values.last(where: { $0[0] == "store" }),
            let store = StoreIdentity(hexadecimal: stores[1])
        else { return nil }
        self.store = store
        for words in values {
            switch words[0] {
            case "was": former += [StoreIdentity(hexadecimal: words[1])].compactMap(\.self)
            case "first": first = UInt64(words[1]) ?? 1
            case "clock": clock = Int64(words[1])
            case "sealed": sealedFrom = UInt64(words[1])
            case "sequence": sequence = UInt64(words[1])
            // A later version may add lines.
            default: continue
            }
        }
    }

    private static func checksum(of text: String) -> String {
        let digits = String(CRC32C.checksum(Array(text.utf8)), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension JournalNote {
    /// Reads a file. Returns nil if it does not exist; throws `Errno.badMessage` if its checksum is
    /// wrong.
    package static func read(
        _ path: String, storage: any Storage = PosixStorage()
    ) throws(Errno) -> JournalNote? {
        let file: any StorageFile
        do { file = try storage.open(path, for: .reading) } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
            throw error
        }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = try file.readAll(&bytes, at: 0)
        guard let note = JournalNote(String(decoding: bytes[..<count], as: UTF8.self)) else {
            throw .badMessage
        }
        return note
    }

    /// Reads the file `identity` of a journal's directory. Throws `damaged` and `unusable`.
    static func readIdentity(
        of directory: String, _ storage: any Storage
    ) throws(JournalError) -> JournalNote? {
        let path = directory + "/" + Format.identityName
        do { return try read(path, storage: storage) } catch {
            guard error == .badMessage else {
                throw .unusable(operation: "read", path: path, error)
            }
            throw .damaged(
                Damage(
                    reason: .identity, file: Format.identityName, offset: 0,
                    detail: "its checksum is wrong; remove it, and it is made again from the "
                        + "segments"))
        }
    }

    /// Writes a file durably and atomically: after a crash it has the old or the new content.
    package func write(
        _ name: String, in directory: String, storage: any Storage = PosixStorage()
    ) throws(Errno) {
        let path = directory + "/" + name
        let temporary = path + Format.temporarySuffix
        do throws(Errno) {
            let file = try storage.open(temporary, for: .creating)
            try file.writeAll(Array(text.utf8), at: 0)
            try file.fsync()
            try storage.rename(temporary, to: path)
        } catch {
            // A leftover is removed at the next opening.
            try? storage.unlink(temporary)
            throw error
        }
        try storage.fsyncDirectory(directory)
    }

    /// Finds out which journal is in `directory`, without a lock, from its file or its segments.
    /// Nil if there is none. Throws `damaged` and `unusable`.
    package static func find(
        _ directory: String, storage: any Storage = PosixStorage()
    ) throws(JournalError) -> JournalNote? {
        do { _ = try storage.list(directory) } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw .unusable(operation: "list", path: directory, error)
        }
        return try SegmentList.read(directory, storage: storage).note
    }
}

extension JournalNote {
    /// Throws `damaged` for a segment of another journal.
    func check(_ entry: SegmentEntry) throws(JournalError) {
        guard !knows(entry.header.store) else { return }
        throw .damaged(
            Damage(
                reason: .segmentForeign, file: entry.name, offset: 88,
                detail: "it belongs to the journal \(entry.header.store), this one is \(store)"))
    }

    /// Throws `damaged` for a snapshot of another journal.
    func check(_ snapshot: Snapshot) throws(JournalError) {
        guard !knows(snapshot.store) else { return }
        throw .damaged(
            Damage(
                reason: .snapshotForeign, file: snapshot.name, offset: 64,
                detail: "it belongs to the journal \(snapshot.store), this one is \(store)"))
    }

    /// Throws `damaged` if records before `entry`, the first remaining segment, are missing
    /// although retention did not remove them.
    func checkNothingIsMissing(before entry: SegmentEntry) throws(JournalError) {
        guard entry.header.firstSequence > first else { return }
        throw .damaged(
            Damage(
                reason: .segmentMissing, file: entry.name, offset: 16,
                detail: "it is segment \(entry.header.number); those with the records "
                    + "\(first) to \(entry.header.firstSequence - 1) are gone, and retention did "
                    + "not take them. Put them back; or remove `\(Format.identityName)` to go on "
                    + "without them"))
    }
}
