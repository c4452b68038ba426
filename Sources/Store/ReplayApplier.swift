import Payments

/// Applies recorded events to the tables, by the rules that made the records.
struct ReplayApplier: Sendable {
    private var tables: StoreTables
    /// Always empty: every decision is applied at once.
    private var rules: PendingBatch
    private var endpoint: (name: String, number: UInt16)?

    init(_ tables: consuming StoreTables) {
        rules = PendingBatch(function: tables.function)
        self.tables = tables
    }

    mutating func apply(_ event: ReplayedEvent) {
        tables.apply(rules.decide(event, endpoint: number(of: event.endpoint), in: tables))
        tables.sequence = max(tables.sequence, event.sequence)
        if let received = event.received { tables.note(event.sequence, received: received) }
    }

    /// The tables; the applier is empty afterwards. A copy that it kept would make the first write
    /// to each shard copy the shard.
    mutating func finish() -> StoreTables {
        var finished = StoreTables(function: tables.function)
        swap(&finished, &tables)
        return finished
    }

    /// Records of one endpoint come in rows.
    private mutating func number(of name: String) -> UInt16 {
        if let endpoint, endpoint.name == name { return endpoint.number }
        let number = tables.endpoints.number(of: name)
        endpoint = (name, number)
        return number
    }
}
