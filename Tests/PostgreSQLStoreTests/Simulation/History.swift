import Payments
import Records
import Sealing
import Store
import TestSupport

@testable import PostgreSQLStore

/// The notifications that senders submit, and which instance gets which of them together and in
/// what order. A sender that is refused, or gets no answer, tries another instance.
struct History: Sendable {
    var notes: [Notification]
    /// The rounds of each instance; each begins when the one before is answered.
    var rounds: [[[Int]]]
    /// Maximum number of a round's submissions in one batch.
    var batchMax = DatabaseOptions().batchSubmissionsMax
    /// Whether each round is one request that reports all its notifications.
    var sharesRequests = false

    /// Whether records are sealed. Then rounds may have ``erasure``.
    var isSealed = false

    /// In a round, in place of a notification: erases the records that were acknowledged before.
    static let erasure = -1
    static let masters = [MasterKey(name: "a", key: [UInt8](repeating: 1, count: 32))!]

    static func act(erasing records: ErasedRecords) -> Act {
        Act(
            .erase, by: "admin", remote: "unix",
            parameters: RecordedAction.parameters(erasing: records),
            received: Timestamp(microseconds: 1_795_244_400_000_000))
    }

    /// The notifications of each request that reports several.
    var requests: [[Int]] { sharesRequests ? rounds.flatMap(\.self) : [] }

    /// A submission whose record has the notification's index in the history.
    func submission(_ note: Int) -> Submission {
        Submission(
            endpoint: "shop", provider: "p", key: "note-\(note)", notification: notes[note],
            request: RecordedRequest(
                method: "POST", target: Array("/ipn".utf8)[...], headers: [],
                body: Array("{}".utf8)),
            peer: "", received: Timestamp(microseconds: 1_795_244_400_000_000))
    }

    /// The index of a record's notification.
    static func note(in record: [UInt8]) -> Int? {
        guard let place = record.firstRange(of: Self.mark) else { return nil }
        let digits = record[place.upperBound...].prefix { $0 != UInt8(ascii: "\"") }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    private static let mark = Array("\"key\":\"note-".utf8)

    /// The events of a request that reports several.
    func submissions(_ round: [Int]) -> [Submission] {
        round.enumerated().map { index, note in
            var event = submission(note)
            event.part = RecordPart(number: index + 1, count: round.count)
            return event
        }
    }

    static func payment(
        _ id: String, _ reference: String, _ status: AttemptStatus = .paid, minor: Int64 = 4200
    ) -> Notification {
        Notification(
            id: id, kind: "payment", status: status.name, reference: reference,
            transaction: "T-\(reference)", effect: .attempt(status, money(minor)))
    }

    static func refund(_ id: String, of reference: String, minor: Int64 = 1000) -> Notification {
        Notification(
            id: id, kind: "refund", status: "succeeded", transaction: "T-\(reference)",
            effect: .refund(id: "R-\(id)", .succeeded, money(minor)))
    }

    private static func money(_ minor: Int64) -> Money {
        Money(minor: minor, currency: Currency("EUR") ?? { preconditionFailure("EUR") }())
    }
}

extension History {
    /// The small histories in which every point is tried: two instances each.
    static let small = [
        // One event is sent to both at the same time; a refund precedes its payment.
        History(
            notes: [payment("E-1", "A"), refund("E-2", of: "A"), payment("E-3", "B", .pending)],
            rounds: [[[0], [2]], [[1, 0]]]),
        // A conflict, and repetitions of it.
        History(
            notes: [payment("E-1", "A"), payment("E-1", "A", minor: 1), payment("E-2", "B")],
            rounds: [[[0], [1]], [[2, 1], [0]]]),
        // Each in its own batch, which begins during the commit of the one before.
        History(
            notes: [payment("E-1", "A"), payment("E-1", "A", minor: 1), refund("E-2", of: "A")],
            rounds: [[[0, 2, 0, 1]], [[2, 0]]], batchMax: 1),
        // Requests of several events, one of which is sent to both instances; each exceeds what a
        // batch holds otherwise.
        History(
            notes: [
                payment("E-1", "A"), refund("E-2", of: "A"), payment("E-3", "B", .pending),
                payment("E-4", "B"), payment("E-5", "C"),
            ], rounds: [[[0, 1, 2], [3, 4]], [[0, 1, 2]]], batchMax: 2, sharesRequests: true),
    ]

    /// With keys that are destroyed meanwhile, by one instance and by both.
    static let sealed = [
        History(
            notes: [payment("E-1", "A"), refund("E-2", of: "A"), payment("E-3", "B", .pending)],
            rounds: [[[0], [erasure], [2]], [[1], [0]]], isSealed: true),
        History(
            notes: [payment("E-1", "A"), payment("E-2", "B"), payment("E-3", "C")],
            rounds: [[[0], [erasure, 1]], [[1], [erasure], [2]]], batchMax: 2, isSealed: true),
    ]

    /// About a dozen events of a few orders, each sent once to three times.
    init(seed: UInt64, instances: Int = 2) {
        var generator = SeededGenerator(seed: seed)
        notes = []
        let references = ["A", "B", "C", "D"]
        for number in 0..<Int.random(in: 8...20, using: &generator) {
            let (reference, id) = (generator.pick(references), "E-\(number)")
            let isConflict = generator.once(in: 6)
            if generator.once(in: 3) {
                let minor = Int64.random(in: 1...4, using: &generator) * 100
                notes.append(Self.refund(id, of: reference, minor: minor))
                if isConflict { notes.append(Self.refund(id, of: reference, minor: 7)) }
            } else {
                let status = generator.pick([AttemptStatus.pending, .paid, .paid, .failed])
                notes.append(Self.payment(id, reference, status))
                if isConflict { notes.append(Self.payment(id, reference, status, minor: 7)) }
            }
        }
        rounds = Array(repeating: [], count: instances)
        var told = notes.indices.flatMap { note in
            Array(repeating: note, count: Int.random(in: 1...3, using: &generator))
        }
        told.shuffle(using: &generator)
        while !told.isEmpty {
            let count = min(told.count, Int.random(in: 1...4, using: &generator))
            rounds[Int.random(in: 0..<instances, using: &generator)].append(
                Array(told.suffix(count)))
            told.removeLast(count)
        }
    }
}

extension History {
    /// Leaves each notification in one round only, and sends every third round to two instances: a
    /// request is whole or absent only where no other one brings a part of it.
    mutating func makeRoundsDisjoint() {
        var seen: Set<Int> = []
        rounds = rounds.map { rounds in
            rounds.map { round in round.filter { seen.insert($0).inserted } }.filter { !$0.isEmpty }
        }
        let again = rounds[0].enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
        rounds[1] += again
    }
}
