import Glibc
import Journal
import JournalIndex
import Platform
import ServerConfiguration
import SystemPackage

/// Notes about the journal, kept outside its directory. They detect an emptied or unmounted
/// directory, another journal, or an older copy, with which consumers would wait at a position that
/// is never reached.
///
/// There are three, in the format of the journal's `identity`: `DIRECTORY.store` beside the
/// journal's directory, which survives if that is emptied or unmounted; `store` in the index's
/// directory, if the first cannot be written; and `FILE.store` beside the configuration, which
/// survives if the whole data folder is unmounted (if it cannot be written, that case is not
/// detected). The index's own position is checked, too.
struct PriorUse {
    /// Why a server must not start.
    struct Refusal: CustomStringConvertible {
        /// Whether it is the journal used before, without its last records. Their sequences will be
        /// used again, so it needs a new identity.
        var isSameStore = false
        var reason: String
        var detail: String
        var description: String { "\(reason): \(detail). \(PriorUse.remedy)" }
    }

    fileprivate static let remedy =
        "Mount or restore the journal. To accept the present one, start once with "
        + "`ipnd serve --new-journal`; consumers then see a new store identity"

    private let journal: String
    private let index: String
    private let file: String

    init(_ configuration: Configuration, _ journal: JournalConfiguration) {
        self.init(
            journal: journal.directory, index: configuration.indexDirectory,
            file: configuration.file)
    }

    /// - Parameter file: The configuration file.
    init(journal: String, index: String, file: String) {
        self.journal = journal
        self.index = index
        self.file = file
    }

    /// Folder and name of each note.
    private var places: [(folder: String, name: String)] {
        [Self.beside(journal), (index, "store"), Self.beside(file)]
    }

    /// The folder of `path`, and its name with a suffix.
    static func beside(
        _ path: String, suffix: String = "store"
    ) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", "\(path).\(suffix)") }
        let parent = String(path[..<slash])
        return (
            parent.isEmpty ? "/" : parent, "\(path[slash...].drop { $0 == "/" }).\(suffix)"
        )
    }

    /// Why the journal is not the one used before; nil if it may be, or if none was used. Throws
    /// `JournalError` if it cannot be read.
    func contradiction() throws(JournalError) -> Refusal? {
        let found = try JournalNote.find(journal)
        let notes = places.compactMap { place -> (file: String, note: JournalNote)? in
            let file = "\(place.folder)/\(place.name)"
            // An unreadable note is ignored, and written again later.
            return (try? JournalNote.read(file)).flatMap { $0 }.map { (file, $0) }
        }
        let indexed = IndexPosition.read(directory: index) ?? 0
        guard let found else {
            if let (file, note) = notes.first {
                return Refusal(
                    reason: "journal_absent",
                    detail:
                        "\(journal) holds no journal, but the store \(note.store) was used here "
                        + "(\(file)), up to sequence \(note.sequence ?? 0)")
            }
            return indexed > 0 ? Self.indexAhead(index, indexed, journal, 0) : nil
        }
        if let (file, note) = notes.first(where: { !found.knows($0.note.store) }) {
            return Refusal(
                reason: "journal_replaced",
                detail: "\(journal) is the store \(found.store), but the store \(note.store) was "
                    + "used here (\(file))")
        }
        guard indexed > 0 || !notes.isEmpty else { return nil }
        let own = notes.filter { $0.note.store == found.store }
        let expected = own.reduce(indexed) { max($0, $1.note.sequence ?? 0) }
        guard let last = try JournalStatistics.lastSequence(directory: journal, expected: expected)
        else { return nil }
        let ahead = own.first { ($0.note.sequence ?? 0) > last }
        if let (file, note) = ahead {
            return Refusal(
                isSameStore: true, reason: "journal_behind",
                detail: "\(journal) ends with sequence \(last), but it held \(note.sequence ?? 0) "
                    + "(\(file)): its last records are lost")
        }
        return indexed > last ? Self.indexAhead(index, indexed, journal, last) : nil
    }

    private static func indexAhead(
        _ index: String, _ indexed: UInt64, _ journal: String, _ last: UInt64
    ) -> Refusal {
        Refusal(
            isSameStore: true, reason: "journal_behind",
            detail: "\(journal) ends with sequence \(last), but the index in \(index) knows "
                + "\(indexed) records: the journal's last records are lost")
    }

    /// What a start of the configuration would refuse because of the journal's state.
    static func findings(_ configuration: Configuration) -> [Finding] {
        guard let journal = configuration.journal else { return [] }
        let problem: String?
        do throws(JournalError) {
            let refusal = try PriorUse(configuration, journal).contradiction()
            problem = refusal.map { "\($0.reason): \($0.detail)" }
        } catch {
            switch error {
            // It may be read by the service only, or is not there yet.
            case .absent, .unusable: problem = nil
            default: problem = "\(error.reason): \(JournalFailure.sentence(error))"
            }
        }
        return problem.map { problem in
            [
                Finding(
                    .mistake, file: configuration.file, key: "journal.directory",
                    problem: problem, remedy: Self.remedy)
            ]
        } ?? []
    }

    /// Writes the journal's identity and last sequence. Returns the errors, which do not prevent
    /// serving.
    func note(_ store: StoreIdentity, sequence: UInt64) -> [String] {
        var note = JournalNote(store: store)
        note.sequence = sequence
        var failures: [String] = []
        var written = 0
        for place in places {
            do throws(Errno) {
                try note.write(place.name, in: place.folder)
                written += 1
            } catch {
                failures.append("\(place.folder)/\(place.name): \(error)")
            }
        }
        return written > 0 ? [] : failures
    }

    /// Deletes the notes, for a new sandbox with a new journal.
    func forget() {
        for place in places { try? Directory.unlink("\(place.folder)/\(place.name)") }
    }
}
