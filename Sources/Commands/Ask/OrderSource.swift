import AdminAPI
import Bytes
import Journal
import JournalIndex
import JournalStore
import Payments
import Platform
import Records
import Store

/// A source of orders.
protocol OrderSource: AnyObject {
    /// The newest orders that match `query`, at most `limit`.
    func orders(_ query: OrderQuery, limit: Int) async throws -> [ListedOrder]

    /// Returns when something may have changed.
    func waitForChange() async throws
}

extension OrderSource {
    /// Calls `body` with every order that matches `query`, newest first, in bounded memory.
    func forEach(_ query: OrderQuery, _ body: (ListedOrder) throws -> Void) async throws {
        var query = query
        while true {
            let page = try await orders(query, limit: OrderListPage.countMax)
            for order in page { try body(order) }
            guard page.count == OrderListPage.countMax, let last = page.last else { return }
            query.cursor = last.first
        }
    }
}

/// Orders of a running server, from its admin listener.
final class ServerOrders: OrderSource {
    private let admin: AdminConnection
    private let clock: any Clock
    private var sequence: UInt64 = 0

    /// Pause before the list is requested again, while it lacks the newest record.
    private static let indexMilliseconds = 50
    private static let indexTriesMax = 100

    init(_ admin: AdminConnection, clock: any Clock) {
        self.admin = admin
        self.clock = clock
    }

    func orders(_ query: OrderQuery, limit: Int) async throws -> [ListedOrder] {
        var all: [ListedOrder] = []
        var query = query
        for attempt in 0... {
            let target = query.target(limit: min(limit - all.count, 1000))
            guard let answer: OrderListAnswer = try admin.get(target) else { return all }
            if answer.indexed < sequence, all.isEmpty, attempt < Self.indexTriesMax {
                try await clock.sleep(milliseconds: Self.indexMilliseconds)
                continue
            }
            sequence = max(sequence, answer.recorded)
            all += answer.orders
            guard let next = answer.next.flatMap({ UInt64($0) }), all.count < limit else { break }
            query.cursor = next
        }
        return all
    }

    /// Number of an order's last records in the detail.
    private static let recordsMax = 20

    /// The detail of a listed order; nil if the server no longer has it.
    func detail(of listed: ListedOrder) throws -> OrderDetail? {
        let endpoint = listed.endpoint
        if let reference = listed.reference {
            return try detail(of: OrderName(endpoint: endpoint, reference: reference), listed)
        }
        guard let id = listed.transaction else { return nil }
        return try detail(of: OrderName(endpoint: endpoint, unjoined: id), listed)
    }

    /// The detail of an order; nil if the server has none of this name.
    ///
    /// - Parameter listed: The order in a list, if it was listed.
    func detail(of name: OrderName, _ listed: ListedOrder? = nil) throws -> OrderDetail? {
        guard let order: OrderAnswer = try admin.get("/\(OrderPath.of(name))") else { return nil }
        let records = try order.sequences.suffix(Self.recordsMax).compactMap { sequence in
            let page: EventPageAnswer? = try admin.get("/events?after=\(sequence - 1)&limit=1")
            // Retention may have deleted the record; the answer is then the next one.
            return page?.events.compactMap { EventAnswer(json: $0) }
                .first { $0.sequence == sequence }
        }
        return OrderDetail(
            order: order, name: name.reference, metadata: listed?.metadata, records: records)
    }

    func waitForChange() async throws {
        while true {
            let page: EventPageAnswer? = try admin.get(
                "/events?after=\(sequence)&limit=1000&wait=55")
            guard let page, page.next > sequence else { continue }
            sequence = page.next
            return
        }
    }
}

/// Orders of a journal's files, with an index in memory.
final class JournalOrders: OrderSource {
    private let index: OrderIndex
    private var reader: JournalReader
    private let directory: String
    private let clock: any Clock
    /// Opens sealed metadata.
    private var opener: RecordOpener?
    /// The orders by the rules of today; nil before the first list.
    private var recorded: RecordedOrders?

    private static let pollMilliseconds = 200
    private static let pageMax = 1000

    /// - Parameter follows: Read only durable records, while another process writes.
    init(
        directory: String, follows: Bool, opener: RecordOpener? = nil, clock: any Clock
    ) throws {
        self.directory = directory
        self.opener = opener
        self.clock = clock
        index = try OrderIndex(clock: clock)
        reader = try JournalReader(directory: directory, extent: follows ? .durable : .whole)
    }

    func orders(_ query: OrderQuery, limit: Int) async throws -> [ListedOrder] {
        while try index.fill(from: &reader, through: .max) > 0 {}
        let recorded = try recorded ?? RecordedOrders(directory: directory)
        if self.recorded == nil {
            // Records hold the orders' states by the rules of their time.
            try index.refresh { recorded.orders($0) }
            self.recorded = recorded
        }
        // The command's limit may exceed a page.
        var all: [ListedOrder] = []
        var query = await query.finding {
            recorded.orders(knownAs: $0, endpoint: query.endpoint)
        }
        while all.count < limit {
            let page = try await index.page(query, limit: min(limit - all.count, Self.pageMax))
            all += page.orders
            guard let cursor = page.cursor else { break }
            query.cursor = cursor
        }
        if opener != nil { for place in all.indices { try opener?.open(&all[place]) } }
        return all
    }

    func waitForChange() async throws {
        while try index.fill(from: &reader, through: .max) == 0 {
            try await clock.sleep(milliseconds: Self.pollMilliseconds)
        }
    }
}

extension OrderQuery {
    /// The target of the request for this query.
    fileprivate func target(limit: Int) -> String {
        let parameters: [(String, String?)] = [
            ("endpoint", endpoint), ("flag", flag), ("text", text), ("reference", reference),
            ("status", statuses.isEmpty ? nil : statuses.map(\.rawValue).joined(separator: ",")),
            ("from", from?.rfc3339), ("to", to?.rfc3339),
            ("cursor", cursor.map { "\($0)" }), ("limit", "\(limit)"),
        ]
        let pairs = parameters.compactMap { name, value in
            value.map { "\(name)=\(PercentEncoding.encode(Array($0.utf8)))" }
        }
        return "/orders?\(pairs.joined(separator: "&"))"
    }
}
