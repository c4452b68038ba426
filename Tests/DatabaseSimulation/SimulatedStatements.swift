import PostgreSQL

/// The statements that the store and its readers send, on tables in memory: prepared statements by
/// name, others by the beginning of their text. Any other statement fails the test.
extension SimulatedTables {
    enum Meaning {
        case begin
        case commit
        case rollback
        /// Locks the row of `head` until the transaction ends, and then returns these rows.
        case lockHead((SimulatedTables) -> SimulatedRows)
        /// Reads.
        case rows(SimulatedRows)
        /// Reads, with the identity of the server's run.
        case rowsOf((_ server: String) -> SimulatedRows)
        /// Writes, and returns these rows.
        case writes([Write], SimulatedRows)
        /// Only writes to the log.
        case message
        case listen(String)
        case failure(SQLState, String)
        case unknown
    }

    func meaning(of command: Command) -> Meaning {
        switch command.name {
        case "": onceRun(command)
        case "begin": .begin
        case "commit": .commit
        case "events", "new_identities", "identities", "remove", "plain_orders", "new_orders",
            "orders", "later",
            "new_aliases", "aliases", "note", "quiet_note", "advance":
            writing(command)
        case "barrier": .message
        case "notify": .writes([.notification(command.text(0))], SimulatedRows([[[]]]))
        default: reading(command)
        }
    }

    private func reading(_ command: Command) -> Meaning {
        let row = [
            OrderColumn.key, OrderColumn.facts, OrderColumn.laterCount, OrderColumn.laterLast,
            OrderColumn.first, OrderColumn.created,
        ]
        switch command.name {
        case "head":
            return .lockHead { tables in
                SimulatedRows([
                    [
                        SimulatedValue.bytes(tables.sequence), tables.chain,
                        SimulatedValue.bytes(Int32(tables.version)),
                        SimulatedValue.bytes(tables.sealing?.version ?? 0),
                    ]
                ])
            }
        case "known":
            return .rows(
                SimulatedRows(
                    command.keys(0).compactMap { key in
                        identities[key].map { [key.bytes, $0.sequence, $0.fingerprint] }
                    }))
        case "named":
            return .rows(
                SimulatedRows(command.keys(0).compactMap { orders[$0] }.map { values($0, row) }))
        case "pointed":
            var rows: [[[UInt8]?]] = []
            let columns = Array(row.dropFirst())
            for key in command.keys(0) {
                for order in (aliases[key] ?? []).sorted() {
                    let absent = [[UInt8]?](repeating: nil, count: columns.count)
                    let found = orders[order].map { values($0, columns) } ?? absent
                    rows.append([key.bytes, order.bytes] + found)
                }
            }
            return .rows(SimulatedRows(rows))
        case "ping":
            return .rows(SimulatedRows([[SimulatedValue.bytes(sealing?.version ?? 0)]]))
        case "last": return .rows(SimulatedRows([[SimulatedValue.bytes(sequence)]]))
        case "feed", "news":
            var bytes = command.parameterCount > 3 ? Int(command.integer(3)) : .max
            let rows = events.filter {
                $0.sequence > command.integer(0) && $0.sequence <= command.integer(1)
            }.prefix(Int(command.integer(2))).prefix { event in
                defer { bytes -= event.row[4]?.count ?? 0 }
                return bytes > 0
            }
            return .rows(SimulatedRows(rows.map { [$0.row[0], $0.row[4]] }))
        case "endpoints": return .rows(endpointRows)
        case "order":
            let columns = [OrderColumn.facts, OrderColumn.laterCount, OrderColumn.laterLast]
            return .rows(
                SimulatedRows(ordersNamed(command.keys(0)).map { values($0, columns) }))
        default: return .unknown
        }
    }

    private var endpointRows: SimulatedRows {
        let rows = endpoints.sorted { $0.value < $1.value }
        return SimulatedRows(
            rows.map { [SimulatedValue.bytes(Int32($0.value)), Array($0.key.utf8)] })
    }

    private func writing(_ command: Command) -> Meaning {
        let rows = command.rows()
        let done = SimulatedRows(tag: "INSERT 0 \(rows.count)")
        switch command.name {
        case "events":
            for row in rows {
                let sequence = SimulatedValue.integer(row[0] ?? [])
                if holds(sequence) { return .failure(.notUnique, "event_pkey \(sequence)") }
                guard sequence <= partitionedThrough else {
                    return .failure(.outsidePartitions, "no partition for \(sequence)")
                }
            }
            return .writes(rows.map { .event($0) }, done)
        case "new_identities" where rows.contains { identities[RowKey($0[0] ?? [])] != nil }:
            return .failure(.notUnique, "identity_pkey")
        case "plain_orders" where rows.contains { orders[RowKey($0[0] ?? [])] != nil },
            "new_orders" where rows.contains { orders[RowKey($0[0] ?? [])] != nil }:
            return .failure(.notUnique, "order_state_pkey")
        case "new_identities", "identities":
            return .writes(
                rows.map {
                    .identity(RowKey($0[0] ?? []), sequence: $0[1], fingerprint: $0[2])
                }, done)
        case "plain_orders":
            return .writes(rows.map { .order($0 + OrderColumn.rareDefaults) }, done)
        case "new_orders", "orders": return .writes(rows.map { .order($0) }, done)
        case "remove": return .writes(command.keys(0).map { .removeOrder($0) }, done)
        case "later": return .writes(rows.map { .later(RowKey($0[0] ?? []), $0) }, done)
        case "new_aliases"
        where rows.contains { aliases[RowKey($0[0] ?? [])]?.contains(RowKey($0[1] ?? [])) == true }:
            return .failure(.notUnique, "alias_pkey")
        case "new_aliases", "aliases":
            return .writes(
                rows.map { .alias(RowKey($0[0] ?? []), RowKey($0[1] ?? [])) }, done)
        case "note", "quiet_note":
            let row = (0..<3).map { Array(command.value($0)) }
            guard batches[command.integer(0)] == nil else {
                return .failure(.notUnique, "batch_pkey \(command.integer(0))")
            }
            let told = command.name == "note" ? [Write.notification(command.text(3))] : []
            return .writes([.batch(row)] + told, done)
        default:
            return .writes([.head(command.integer(0), Array(command.value(1)))], done)
        }
    }

    /// Makes the row of the keys, or replaces it where its version is the given one.
    private func sealing(_ command: Command) -> Meaning {
        if command.sql.hasPrefix("INSERT") {
            guard sealing == nil else { return .rows(SimulatedRows()) }
            return .writes(
                [.sealing(1, Array(command.value(0)))], SimulatedRows(tag: "INSERT 0 1"))
        }
        guard let version = sealing?.version, version == command.integer(0) else {
            return .rows(SimulatedRows(tag: "UPDATE 0"))
        }
        let isNew = command.sql.contains("version = version + 1")
        return .writes(
            [.sealing(isNew ? version + 1 : version, Array(command.value(1)))],
            SimulatedRows(tag: "UPDATE 1"))
    }

    /// Statements without a name, by the beginning of their text.
    private func onceRun(_ command: Command) -> Meaning {
        let sql = command.sql
        func begins(_ text: String) -> Bool { sql.hasPrefix(text) }
        if begins("SELECT to_regclass('meta')") { return .rows(SimulatedRows([[[1]]])) }
        if sql == "SELECT version FROM meta" {
            return .rows(SimulatedRows([[SimulatedValue.bytes(Int32(version))]]))
        }
        if begins("SELECT version, keys FROM sealing") {
            let row = sealing.map { [SimulatedValue.bytes($0.version), $0.keys] }
            return .rows(SimulatedRows(row.map { [$0] } ?? []))
        }
        if sql.contains(" sealing ") { return sealing(command) }
        if begins("SELECT set_config(") { return .rows(SimulatedRows([[[]]])) }
        if begins("SELECT store, hash_key") {
            let partitions: [[UInt8]?] =
                sql.contains("partition_events")
                ? [SimulatedValue.bytes(Self.partitionRows)] : []
            let row =
                [Array(Self.store.utf8), Self.hashKey] + partitions + [
                    SimulatedValue.bytes(partitionedThrough), SimulatedValue.bytes(sequence),
                ]
            return .rowsOf { SimulatedRows([row + [Array($0.utf8)]]) }
        }
        if begins("SELECT number, name FROM endpoint") {
            return .rows(endpointRows)
        }
        if begins("SELECT FROM head FOR UPDATE") { return .lockHead { _ in SimulatedRows() } }
        if begins("INSERT INTO endpoint") {
            guard endpoints[command.text(0)] == nil else { return .rows(SimulatedRows()) }
            let number = (endpoints.values.max() ?? -1) + 1
            return .writes(
                [.endpoint(number, command.text(0))], SimulatedRows(tag: "INSERT 0 1"))
        }
        if begins("SELECT add_event_partitions") {
            return .writes([.partitions(through: command.integer(0))], SimulatedRows([[[]]]))
        }
        if begins("LISTEN ") { return .listen(String(sql.dropFirst(7))) }
        return sql == "ROLLBACK" ? .rollback : .unknown
    }
}
