import Payments
import PostgreSQLStore
import Sealing

/// A delivery state in SQL tables: the same statements and decisions for each database.
package protocol SQLDeliveryState: DeliveryState {
    var session: any SQLSession { get }
    /// Seals the excerpts of the destinations' answers.
    var seal: SideSeal { get }
}

extension SQLDeliveryState {
    /// Reads the destination's state, after resetting the state of another store.
    ///
    /// - Parameters:
    ///   - newest: The last record of the store, with which a new destination may begin.
    ///   - calls: Further statements for the same transaction.
    func restore(
        _ destination: DeliveryDestination, store: String, newest: UInt64, under lease: Lease?,
        and calls: [SQLCall] = []
    ) async throws(DeliveryStateFailure) -> OpenedDelivery {
        let name = SQLValue.text(destination.name)
        let results = try await session.write(
            [
                SQLCall(.findDestination, name),
                // The positions of another store mean nothing in this one.
                SQLCall(.deleteForeignEvents, name, .text(store)),
                SQLCall(
                    .insertDestination, name, .text(store),
                    .sequence(destination.start.cursor(newest: newest)),
                    .sequence(destination.start.cursorInOtherStore)),
                SQLCall(.findDestination, name),
            ] + calls, under: lease)
        let former = results[0].first?.text(0)
        guard let row = results[3].first else {
            throw .unavailable("the destination has no row")
        }
        var state = RestoredDelivery(
            cursor: UInt64(clamping: row.integer(1)),
            pause: row.optional(2, row.text).flatMap(PauseReason.init))
        // In portions, so that not all records are in memory at once. The lease keeps others from
        // changing them meanwhile.
        var last: Int64 = 0
        while let next = try await restoreEvents(of: destination.name, after: last, to: &state) {
            last = next
        }
        return OpenedDelivery(
            state: state, isNew: former == nil, formerStore: former == store ? nil : former,
            lease: lease?.fence ?? 0)
    }

    /// Returns the last sequence of the portion; nil if it is empty.
    private func restoreEvents(
        of destination: String, after last: Int64, to state: inout RestoredDelivery
    ) async throws(DeliveryStateFailure) -> Int64? {
        let rows = try await session.read(
            SQLCall(.keptEvents, .text(destination), .integer(last)))
        for row in rows {
            guard let event = try? FeedEvent(row.bytes(1)) else {
                throw .unavailable("a kept record cannot be read")
            }
            state.events.append(
                RestoredDelivery.Event(
                    row: DeliveryRow(
                        sequence: event.sequence, attempts: Int(row.integer(2)),
                        due: row.integer(3), isDead: row.truth(4)),
                    orders: event.orders, received: event.received.microseconds))
        }
        return rows.last?.integer(0)
    }

    package func record(
        _ sequence: UInt64, for destination: String
    ) async throws(DeliveryStateFailure) -> [UInt8]? {
        try await session.read(SQLCall(.record, .text(destination), .sequence(sequence)))
            .first?.bytes(0)
    }

    package func deliveries(
        _ query: DeliveryQuery
    ) async throws(DeliveryStateFailure) -> DeliveryList {
        let rows = try await session.read(.list(query))
        var list = DeliveryList(
            deliveries: rows.prefix(query.limit).map { PendingDelivery($0, seal) }, cursor: nil)
        if rows.count > query.limit { list.cursor = list.deliveries.last?.id }
        return list
    }

    package func count(_ query: DeliveryQuery) async throws(DeliveryStateFailure) -> Int {
        Int(try await session.read(.count(query)).first?.integer(0) ?? 0)
    }

    package func attempts(
        reference: String, limit: Int
    ) async throws(DeliveryStateFailure) -> [LoggedAttempt] {
        try await session.read(SQLCall(.attempts, .text(reference), .integer(Int64(limit))))
            .map { LoggedAttempt($0, from: 1, destination: $0.text(0), seal) }
    }

    package func removeAnswers(
        about records: [ClosedRange<UInt64>]
    ) async throws(DeliveryStateFailure) -> Int {
        let calls = records.map {
            SQLCall(.removeAnswers, .sequence($0.lowerBound), .sequence($0.upperBound))
        }
        return try await session.write(calls, under: nil).reduce(0) { $0 + $1.count }
    }

    package func destinations() async throws(DeliveryStateFailure) -> [StoredDestination] {
        try await session.read(SQLCall(.destinations)).map { StoredDestination($0) }
    }
}

extension DeliveryWrite {
    /// The write as it is stored.
    func sealed(by seal: SideSeal) -> DeliveryWrite {
        guard seal.isOn else { return self }
        var write = self
        for index in write.attempts.indices {
            let excerpt = write.attempts[index].outcome.excerpt
            write.attempts[index].outcome.excerpt = seal.stored(excerpt)
        }
        return write
    }
}

extension StoredDestination {
    fileprivate init(_ row: SQLRow) {
        self.init(
            name: row.text(0), servedBy: row.optional(3, row.text),
            cursor: UInt64(clamping: row.integer(1)),
            pause: row.optional(2, row.text).flatMap(PauseReason.init),
            waiting: Int(row.integer(4)), dead: Int(row.integer(5)),
            oldestReceived: row.optional(6, row.time)?.microseconds)
    }
}

extension PendingDelivery {
    fileprivate init(_ row: SQLRow, _ seal: SideSeal) {
        let destination = row.text(1)
        let due = row.integer(9)
        let isDead = row.truth(10)
        self.init(
            id: row.integer(0), destination: destination,
            sequence: UInt64(clamping: row.integer(2)), endpoint: row.text(3),
            reference: row.text(4), kind: row.text(5), status: row.text(6), received: row.time(7),
            state: isDead ? .dead : .waiting, attempts: Int(row.integer(8)),
            due: isDead || due == 0 ? nil : Timestamp(microseconds: due),
            last: row.isNull(11)
                ? nil : LoggedAttempt(row, from: 11, destination: destination, seal))
    }
}

extension LoggedAttempt {
    fileprivate init(_ row: SQLRow, from first: Int, destination: String, _ seal: SideSeal) {
        self.init(
            destination: destination, sequence: UInt64(clamping: row.integer(first)),
            reference: row.text(first + 1), began: row.time(first + 2),
            number: Int(row.integer(first + 3)),
            outcome: AttemptOutcomeSummary(
                status: row.optional(first + 4, row.integer).map { Int($0) },
                reason: row.text(first + 5), latencyMicroseconds: Int(row.integer(first + 6)),
                detail: row.text(first + 7), excerpt: seal.text(stored: row.text(first + 8))))
    }
}
