import Cryptography
import SystemPackage

/// What is known of a journal beside its segments (Format.md, "Identity"): the file `identity` in
/// its directory, and what others keep to recognise it by.
package struct JournalNote: Sendable, Equatable {
    package var store: StoreIdentity
    /// Identities that it had before somebody accepted that records were lost. Older segments and
    /// snapshots carry them.
    package var former: [StoreIdentity] = []
    /// Retention has taken away nothing but segments before the one that begins with this sequence.
    package var first: UInt64 = 1
    /// How far time has passed for retention, in µs since 1970; see `RetentionClock`.
    package var clock: Int64?
    /// The last sequence that was seen. Only others keep it: the journal itself knows.
    package var sequence: UInt64?

    private static let title = "ipnd journal"
    private static let bytesMax = 1 << 16

    package init(store: StoreIdentity) { self.store = store }

    /// Whether it is, or was once, the journal `identity`.
    package func knows(_ identity: StoreIdentity) -> Bool {
        identity == store || former.contains(identity)
    }

    /// Whether something that carries `identity` can belong to this journal.
    func accepts(_ identity: StoreIdentity) -> Bool {
        identity == .none || knows(identity)
    }

    /// Lines of a word and a value, the last of them the CRC32C of those before.
    package var text: String {
        var lines = [Self.title, "store \(store)"]
        lines += former.map { "was \($0)" }
        lines.append("first \(first)")
        if let clock { lines.append("clock \(clock)") }
        if let sequence { lines.append("sequence \(sequence)") }
        let text = lines.joined(separator: "\n") + "\n"
        return text + "check \(Self.checksum(of: text))\n"
    }

    /// Reads `text`; nil when it is not exactly what was written.
    package init?(_ text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "", let check = lines.popLast(), lines.first == Self.title[...],
            check == "check \(Self.checksum(of: lines.joined(separator: "\n") + "\n"))"
        else { return nil }
        var store: StoreIdentity?
        var note = JournalNote(store: .none)
        for line in lines.dropFirst() {
            let words = line.split(separator: " ")
            guard words.count == 2 else { return nil }
            switch words[0] {
            case "store": store = StoreIdentity(hexadecimal: words[1])
            case "was": note.former += [StoreIdentity(hexadecimal: words[1])].compactMap(\.self)
            case "first": note.first = UInt64(words[1]) ?? 1
            case "clock": note.clock = Int64(words[1])
            case "sequence": note.sequence = UInt64(words[1])
            // A later version may know more.
            default: continue
            }
        }
        guard let store else { return nil }
        note.store = store
        self = note
    }

    private static func checksum(of text: String) -> String {
        let digits = String(CRC32C.checksum(Array(text.utf8)), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension JournalNote {
    /// Reads a file. Nil when there is none; `Errno.badMessage` when it is not what was written.
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
                    detail: "its checksum does not hold; remove it, and it is made again from the "
                        + "segments"))
        }
    }

    /// Writes a file so that it is durable when this returns, and either old or new at any moment.
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

    /// What the journal in `directory` is, without a lock: by its file, or by its segments. Nil
    /// when there is no journal. Throws `damaged` and `unusable`.
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
        guard !accepts(entry.header.store) else { return }
        throw .damaged(
            Damage(
                reason: .segmentForeign, file: entry.name, offset: 88,
                detail: "it belongs to the journal \(entry.header.store), this one is \(store)"))
    }

    /// Throws `damaged` for a snapshot of another journal.
    func check(_ snapshot: Snapshot) throws(JournalError) {
        guard !accepts(snapshot.store) else { return }
        throw .damaged(
            Damage(
                reason: .snapshotForeign, file: snapshot.name, offset: 64,
                detail: "it belongs to the journal \(snapshot.store), this one is \(store)"))
    }

    /// Throws `damaged` when records before `entry`, the first segment that is left, are gone
    /// although retention did not take them.
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
