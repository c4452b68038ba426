import Payments
import Testing

@testable import Delivery

/// The guarantees of a delivery state, in SQLite and on a real PostgreSQL.
@Suite struct StateConformanceTests {
    private let shop = DeliveryDestination(name: "shop", start: .sequence(4))

    private func write(
        _ opened: OpenedDelivery?, cursor: UInt64, _ change: (inout DeliveryWrite) throws -> Void
    ) rethrows -> DeliveryWrite {
        var write = DeliveryWrite(
            destination: "shop", lease: opened?.lease ?? -1,
            changes: DeliveryChanges(cursor: cursor), events: [:], attempts: [], attemptsMax: 3)
        try change(&write)
        return write
    }

    private func keep(
        _ sequence: UInt64, _ reference: String = "R-1", attempts: Int = 0, due: Int64 = 0,
        isDead: Bool = false, in write: inout DeliveryWrite
    ) throws {
        write.changes.events.append(
            DeliveryRow(sequence: sequence, attempts: attempts, due: due, isDead: isDead))
        write.changes.new.insert(sequence)
        write.events[sequence] = try .sample(sequence, reference)
    }

    private func attempt(
        _ number: Int, of sequence: UInt64 = 5, status: Int? = 422
    ) -> LoggedAttempt {
        LoggedAttempt(
            destination: "shop", sequence: sequence, reference: "R-1",
            began: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(number)), number: number,
            outcome: AttemptOutcomeSummary(
                status: status, reason: status == nil ? "timeout" : "status_422",
                latencyMicroseconds: 1234, detail: "", excerpt: "no\u{fffd}such"))
    }

    @Test(arguments: StateKind.all) func `a new destination starts where the configuration says`(
        _ kind: StateKind
    ) async throws {
        let fixture = try StateFixture(kind)
        let state = try fixture.open()
        let opened = try #require(try await state.open(shop, store: fixture.store))
        #expect(opened.state == RestoredDelivery(cursor: 3))
        #expect(opened.formerStore == nil)
        #expect(state.holds(opened.lease, of: "shop"))
        await state.close()
    }

    @Test(arguments: StateKind.all) func `a write survives a restart`(
        _ kind: StateKind
    ) async throws {
        let fixture = try StateFixture(kind)
        var state = try fixture.open()
        var opened = try await state.open(shop, store: fixture.store)
        try await state.write(
            try write(opened, cursor: 9) { write in
                try keep(4, attempts: 2, due: 77, in: &write)
                try keep(5, in: &write)
                try keep(6, "R-2", attempts: 10, isDead: true, in: &write)
                write.changes.pause = .gone
            })
        try await state.write(
            write(opened, cursor: 10) { write in
                write.changes.settled = [5]
                write.changes.events = [
                    DeliveryRow(sequence: 4, attempts: 3, due: 99, isDead: false)
                ]
            })
        await state.release("shop")
        await state.close()
        state = try fixture.open(label: "test:2")
        opened = try await state.open(shop, store: fixture.store)
        let restored = try #require(opened).state
        #expect(restored.cursor == 10)
        #expect(restored.pause == nil)
        #expect(
            restored.events.map(\.row) == [
                DeliveryRow(sequence: 4, attempts: 3, due: 99, isDead: false),
                DeliveryRow(sequence: 6, attempts: 10, due: 0, isDead: true),
            ])
        let sample = try FeedEvent.sample(4)
        #expect(restored.events[0].orders == sample.orders)
        #expect(restored.events[0].received == sample.received.microseconds)
        #expect(try await state.record(4, for: "shop") == sample.record)
        #expect(try await state.record(5, for: "shop") == nil)
        await state.close()
    }

    /// After an error a write is repeated, although the first one may have succeeded.
    @Test(arguments: StateKind.all) func `a repeated write counts once`(
        _ kind: StateKind
    ) async throws {
        let fixture = try StateFixture(kind)
        let state = try fixture.open()
        let opened = try await state.open(shop, store: fixture.store)
        let change = try write(opened, cursor: 8) { write in
            try keep(5, attempts: 1, due: 7, in: &write)
        }
        try await state.write(change)
        try await state.write(change)
        #expect(try await state.count(DeliveryQuery()) == 1)
        let list = try await state.deliveries(DeliveryQuery())
        #expect(list.deliveries.map(\.attempts) == [1])
        await state.close()
    }

    @Test(arguments: StateKind.all)
    func `the state of another store is reset, except for the pause`(
        _ kind: StateKind
    ) async throws {
        let fixture = try StateFixture(kind)
        var state = try fixture.open()
        let opened = try await state.open(shop, store: fixture.store)
        try await state.write(
            try write(opened, cursor: 9) { write in
                try keep(5, in: &write)
                write.changes.pause = .command
            })
        await state.release("shop")
        await state.close()
        let other = String(repeating: "2", count: 32)
        try fixture.psql("UPDATE meta SET store = '\(other)'")
        state = try fixture.open()
        let anew = try #require(try await state.open(shop, store: other))
        #expect(anew.formerStore == fixture.store)
        #expect(anew.state == RestoredDelivery(cursor: 3, pause: .command))
        #expect(try await state.count(DeliveryQuery()) == 0)
        await state.close()
    }

    @Test(arguments: StateKind.all) func `a new destination begins where its configuration says`(
        _ kind: StateKind
    ) async throws {
        let fixture = try StateFixture(kind)
        let now = DeliveryDestination(name: "now", start: .now)
        var state = try fixture.open()
        var opened = try #require(try await state.open(now, store: fixture.store, newest: 7))
        #expect(opened.isNew && opened.state.cursor == 7)
        let all = DeliveryDestination(name: "all", start: .beginning)
        opened = try #require(try await state.open(all, store: fixture.store, newest: 7))
        #expect(opened.isNew && opened.state.cursor == 0)
        await state.release("now")
        await state.close()
        state = try fixture.open(label: "test:2")
        // It has begun: the position counts, and later starts move nothing.
        opened = try #require(try await state.open(now, store: fixture.store, newest: 9))
        #expect(!opened.isNew && opened.state.cursor == 7)
        await state.close()
    }

    @Test(arguments: StateKind.all) func `lists have filters, pages and the last attempt`(
        _ kind: StateKind
    ) async throws {
        let fixture = try StateFixture(kind)
        let state = try fixture.open()
        let opened = try await state.open(shop, store: fixture.store)
        try await state.write(
            try write(opened, cursor: 9) { write in
                try keep(5, attempts: 2, due: 1_700_000_001_000_000, in: &write)
                try keep(6, "R-2", attempts: 3, isDead: true, in: &write)
                try keep(7, "R-2", in: &write)
                write.attempts = [attempt(1), attempt(2, status: nil)]
            })
        var query = DeliveryQuery()
        query.limit = 2
        let first = try await state.deliveries(query)
        #expect(first.deliveries.map(\.sequence) == [5, 6])
        #expect(first.cursor != nil)
        query.cursor = first.cursor
        let second = try await state.deliveries(query)
        #expect(second.deliveries.map(\.sequence) == [7])
        #expect(second.cursor == nil)
        let delivery = try #require(first.deliveries.first)
        #expect(delivery.endpoint == "antom" && delivery.reference == "R-1")
        #expect(delivery.kind == "payment" && delivery.status == "paid")
        #expect(delivery.state == .waiting && delivery.attempts == 2)
        #expect(delivery.due == Timestamp(microseconds: 1_700_000_001_000_000))
        #expect(delivery.received == (try FeedEvent.sample(5).received))
        #expect(delivery.last == attempt(2, status: nil))
        #expect(first.deliveries[1].due == nil && first.deliveries[1].last == nil)
        for (expected, change) in [
            (2, { $0.reference = "R-2" }), (1, { $0.state = .dead }), (2, { $0.state = .waiting }),
            (1, { $0.sequence = 7 }), (0, { $0.destination = "other" }),
            (3, { $0.destination = "shop" }), (0, { $0.reference = "R-\u{0}" }),
        ] as [(Int, (inout DeliveryQuery) -> Void)] {
            var query = DeliveryQuery()
            change(&query)
            #expect(try await state.count(query) == expected, "\(query)")
            #expect(try await state.deliveries(query).deliveries.count == expected, "\(query)")
        }
        await state.close()
    }

    @Test(arguments: StateKind.all) func `the last attempts of each destination are kept`(
        _ kind: StateKind
    ) async throws {
        let fixture = try StateFixture(kind)
        let state = try fixture.open()
        let opened = try await state.open(shop, store: fixture.store)
        for number in 1...5 {
            try await state.write(
                write(opened, cursor: 9) { write in write.attempts = [attempt(number)] })
        }
        let other = try await state.open(DeliveryDestination(name: "other"), store: fixture.store)
        var noise = attempt(1)
        noise.destination = "other"
        var change = write(other, cursor: 9) { write in write.attempts = [noise] }
        change.destination = "other"
        try await state.write(change)
        let attempts = try await state.attempts(reference: "R-1", limit: 10)
        #expect(attempts.map(\.number) == [1, 5, 4, 3])
        #expect(attempts.dropFirst().first == attempt(5))
        #expect(try await state.attempts(reference: "R-1", limit: 2).count == 2)
        await state.close()
    }

    /// PostgreSQL keeps no U+0000, and SQLite would end the text there.
    @Test(arguments: StateKind.all) func `a text with U+0000 is kept with U+FFFD in its place`(
        _ kind: StateKind
    ) async throws {
        let fixture = try StateFixture(kind)
        let state = try fixture.open()
        let opened = try await state.open(shop, store: fixture.store)
        var failed = attempt(1)
        failed.reference = "R\u{0}1"
        failed.outcome.detail = "a\u{0}b"
        try await state.write(write(opened, cursor: 9) { write in write.attempts = [failed] })
        let found = try #require(try await state.attempts(reference: "R\u{0}1", limit: 1).first)
        #expect(found.reference == "R\u{fffd}1" && found.outcome.detail == "a\u{fffd}b")
        await state.close()
    }

    @Test(arguments: StateKind.all) func `destinations can be read without the lease`(
        _ kind: StateKind
    ) async throws {
        let fixture = try StateFixture(kind)
        let state = try fixture.open()
        let opened = try await state.open(shop, store: fixture.store)
        try await state.write(
            try write(opened, cursor: 9) { write in
                try keep(5, in: &write)
                try keep(6, isDead: true, in: &write)
                write.changes.pause = .command
            })
        let standing = try #require(try await state.destinations().first)
        let received = try FeedEvent.sample(5).received.microseconds
        #expect(
            standing
                == StoredDestination(
                    name: "shop", servedBy: kind == .postgresql ? "test:1" : nil, cursor: 9,
                    pause: .command, waiting: 2, dead: 1, oldestReceived: received))
        await state.close()
    }

    @Test(arguments: StateKind.all) func `thousands of events are kept and restored`(
        _ kind: StateKind
    ) async throws {
        let fixture = try StateFixture(kind)
        var state = try fixture.open()
        let opened = try await state.open(shop, store: fixture.store)
        try await state.write(
            try write(opened, cursor: 3000) { write in
                for sequence in UInt64(4)...2503 { try keep(sequence, in: &write) }
            })
        await state.release("shop")
        await state.close()
        state = try fixture.open()
        let restored = try #require(try await state.open(shop, store: fixture.store)).state
        #expect(restored.events.map(\.row.sequence) == Array(4...2503))
        await state.close()
    }
}
