import Inquiry
import Journal
import Logging
import Platform
import PostgreSQLStore
import ServerConfiguration
import Store
import Synchronization
import SystemPackage

/// Wires the reading of providers' lists after a gap.
struct BackfillModule {
    let scheduler: BackfillScheduler

    init(
        _ configuration: Configuration, _ service: InquiryService, storage: any StorageModule,
        logger: Logger, in environment: ServiceEnvironment, clock: any Clock
    ) {
        let marks: any BackfillMarks
        let turns: any InquiryTurns
        switch configuration.storage {
        case .journal(let journal):
            marks = FileMarks(beside: journal.directory)
            turns = OnlyInstance()
        case .database(let database):
            let shared = DatabaseTurns("backfill", database, environment)
            marks = SharedMarks(turns: shared)
            turns = shared
        }
        scheduler = BackfillScheduler(
            service,
            in: BackfillSurroundings(
                marks: marks, turns: turns, store: { storage.records.identity },
                isAccepting: { storage.hindrance == nil }),
            clock: clock
        ) { endpoint, notice in
            logger.log(
                level: notice.isWarning ? .warning : .info,
                "backfill \(endpoint): \(notice.sentence)")
        }
    }
}

/// The marks of a database.
private struct SharedMarks: BackfillMarks {
    let turns: DatabaseTurns

    func read(_ endpoint: String) async throws(BackfillFailure) -> String? {
        do throws(ReadFailure) { return try await turns.marks.read(Self.name(endpoint)) } catch {
            throw BackfillFailure(error.detail)
        }
    }

    func write(
        _ mark: String, of endpoint: String, after former: String?
    ) async throws(BackfillFailure) -> Bool {
        do throws(ReadFailure) {
            return try await turns.marks.write(mark, of: Self.name(endpoint), after: former)
        } catch {
            throw BackfillFailure(error.detail)
        }
    }

    private static func name(_ endpoint: String) -> String { "backfill \(endpoint)" }
}

/// The marks of a journal: the file `DIRECTORY.backfill` beside it, a line for each endpoint, with
/// its name and its mark. Outside the journal, because it shows that the journal was lost.
private final class FileMarks: BackfillMarks {
    private let path: String
    private let storage = PosixStorage()
    /// Nil before the file is read.
    private let marks = Mutex<[String: String]?>(nil)

    /// Larger than a mark of each of thousands of endpoints.
    private static let bytesMax = 16 << 20

    init(beside directory: String) {
        let (folder, name) = PriorUse.beside(directory, suffix: "backfill")
        path = "\(folder)/\(name)"
    }

    func read(_ endpoint: String) async throws(BackfillFailure) -> String? {
        try marks.withLock { marks throws(BackfillFailure) in
            if marks == nil { marks = try load() }
            return marks?[endpoint]
        }
    }

    func write(
        _ mark: String, of endpoint: String, after former: String?
    ) async throws(BackfillFailure) -> Bool {
        try marks.withLock { marks throws(BackfillFailure) in
            if marks == nil { marks = try load() }
            var all = marks ?? [:]
            guard all[endpoint] == former else { return false }
            all[endpoint] = mark
            try save(all)
            marks = all
            return true
        }
    }

    private func load() throws(BackfillFailure) -> [String: String] {
        do throws(Errno) {
            let file = try storage.open(path, for: .reading)
            var bytes = [UInt8](repeating: 0, count: Self.bytesMax)
            let count = try file.readAll(&bytes, at: 0)
            var marks: [String: String] = [:]
            for line in bytes[..<count].split(separator: UInt8(ascii: "\n")) {
                let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
                guard words.count == 2 else { continue }
                marks[String(decoding: words[0], as: UTF8.self)] = String(
                    decoding: words[1], as: UTF8.self)
            }
            return marks
        } catch {
            if error == .noSuchFileOrDirectory { return [:] }
            throw BackfillFailure("\(path): \(error)")
        }
    }

    private func save(_ marks: [String: String]) throws(BackfillFailure) {
        let lines = marks.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
        let temporary = "\(path).new"
        do throws(Errno) {
            let file = try storage.open(temporary, for: .creating)
            try file.writeAll(Array(lines.utf8), at: 0)
            try file.fsync()
            try storage.rename(temporary, to: path)
        } catch {
            try? storage.unlink(temporary)
            throw BackfillFailure("\(path): \(error)")
        }
    }
}
