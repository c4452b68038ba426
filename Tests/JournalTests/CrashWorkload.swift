import Journal
import TestSupport

/// A deterministic sequence of a server's operations on a journal, with a list of the acknowledged
/// records.
struct CrashWorkload {
    static let directory = "/journal"

    /// Frames of up to two blocks, in segments of five, so that a torn frame reaches beyond the
    /// block that the next frame fills.
    static let options: JournalOptions = {
        var options = JournalOptions()
        options.segmentBytes = 20 << 10
        options.recordBytesMax = 3000
        options.frameBytesMax = 8 << 10
        options.windowBytes = 4 << 10
        options.preparesInBackground = false
        return options
    }()

    /// Never zero, so that a lost sector always shows.
    private static let filling = (0..<3000).map { UInt8(1 + $0 * 7 % 255) }

    /// Records whose commit has returned.
    private(set) var acknowledged: [[UInt8]] = []
    /// Records whose commit was under way when the power failed.
    private(set) var inFlight: [[UInt8]] = []
    /// The records of the last opening, which must stay.
    private(set) var handedOut: [[UInt8]] = []
    /// Whether a fatal error ended the process.
    private(set) var isFatal = false
    /// Number of commits that were refused for lack of space.
    private(set) var refusals = 0

    private var generator: SeededGenerator
    private var writer: JournalWriter?
    private var number: Int

    init(seed: UInt64, firstNumber: Int = 1) {
        generator = SeededGenerator(crashSeed: seed)
        number = firstNumber
    }

    /// Opens the journal; returns its records, from the snapshot and from replay.
    static func open(
        _ storage: any Storage, options: JournalOptions = options, _ records: inout [[UInt8]]
    ) throws(JournalError) -> JournalWriter {
        var found: [[UInt8]] = []
        defer { records = found }
        return try JournalWriter.open(
            directory: directory, storage: storage, options: options,
            restore: { snapshot in
                found = try Self.content(of: snapshot)
                return UInt64(found.count) == snapshot.point.sequence
            },
            replay: { sequence, record in
                if sequence != UInt64(found.count + 1) { throw OutOfTurn(sequence: sequence) }
                found.append(Bytes.copy(record))
            })
    }

    /// Thrown by a replay that gets an unexpected sequence.
    struct OutOfTurn: Error { var sequence: UInt64 }

    /// A snapshot holds all records up to its point, each as one chunk.
    static func content(of snapshot: Snapshot) throws -> [[UInt8]] {
        var records: [[UInt8]] = []
        try snapshot.forEachChunk { _, bytes in records.append(Bytes.copy(bytes)) }
        return records
    }

    /// Runs all steps, or as many as the storage allows.
    mutating func run(_ storage: SimulatedStorage, steps: Int = 26) {
        do {
            try reopen(storage)
            for step in 1...steps { try take(step, storage) }
            writer?.close()
        } catch {
            if case .fatal? = error as? JournalError { isFatal = true }
        }
        writer = nil
    }

    private mutating func take(_ step: Int, _ storage: SimulatedStorage) throws {
        if step % 13 == 0 {
            writer?.close()
            try reopen(storage)
        } else if step % 7 == 0 {
            try snapshot()
        } else if step % 9 == 0 {
            storage.advance(days: 2)
            _ = try writer?.maintenance.retain(
                days: 1, step % 18 == 0 ? .archive : .delete)
        } else if step % 5 == 0 {
            try writer?.markIdle()
        } else {
            try commit()
        }
    }

    private mutating func reopen(_ storage: SimulatedStorage) throws {
        writer = nil
        writer = try Self.open(storage, &handedOut)
    }

    private mutating func snapshot() throws {
        guard let point = writer?.snapshotPoint else { return }
        guard let file = try writer?.maintenance.snapshot(of: point) else { return }
        for record in (handedOut + acknowledged.dropFirst(handedOut.count)).prefix(
            Int(point.sequence))
        {
            try file.append(section: 1, record)
        }
        try file.finish()
    }

    /// One batch of one to four records.
    private mutating func commit() throws {
        guard let writer else { return }
        var batch: [[UInt8]] = []
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !writer.isFrameFull {
            let length = Int.random(in: 20...2700, using: &generator)
            let text = [UInt8]("record \(number) ".utf8)
            number += 1
            let filling = Self.filling[(number % 50)..<(number % 50 + length)]
            batch.append(text + filling)
            try writer.append { $0.append(contentsOf: batch[batch.count - 1]) }
        }
        inFlight = batch
        do { try writer.commit() } catch {
            guard Self.isLackOfRoom(error) else { throw error }
            refusals += 1
            inFlight = []
            return
        }
        acknowledged += batch
        inFlight = []
    }

    private static func isLackOfRoom(_ error: JournalError) -> Bool {
        switch error {
        case .noSpace, .needsSegment: true
        default: false
        }
    }
}
