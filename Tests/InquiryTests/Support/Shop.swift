import JournalStore
import Payments
import Platform
import Providers
import Store
import Synchronization
import TestSupport

@testable import Inquiry

/// A merchant whose orders are asked about by schedule, with a clock that the test moves.
final class Shop {
    let clock = ManualClock()
    let provider: AskedProvider
    let merchant: Merchant
    let orders: KnownOrders
    private var instances: [ShopInstance] = []

    /// - Parameter pauseSeconds: Pause between two questions about one order.
    init(
        _ times: [Double], pauseSeconds: Double = 0,
        _ edit: (inout InquirySchedule) -> Void = { _ in }
    ) throws {
        var schedule = InquirySchedule()
        schedule.schedule = times
        schedule.secondsPerQuestion = 0.01
        edit(&schedule)
        provider = AskedProvider(clock)
        merchant = try Merchant(pauseSeconds: pauseSeconds, schedule: schedule)
        orders = KnownOrders(merchant.store, clock)
    }

    /// Starts an instance of the program.
    func instance(turns: any InquiryTurns = OnlyInstance()) -> ShopInstance {
        let instance = ShopInstance(self, turns)
        instances.append(instance)
        return instance
    }

    /// Registers an expectation for each reference.
    func expect(_ references: [String]) async {
        for reference in references {
            let sequence = await merchant.expect(
                reference, at: Timestamp(microseconds: clock.wallMicroseconds))
            orders.add(reference, first: sequence ?? 0)
        }
    }

    func status(_ reference: String) async -> OrderStatus? {
        await merchant.order(reference)?.status
    }

    func arePaid(_ references: [String]) async -> Bool {
        for reference in references where await status(reference) != .paid { return false }
        return true
    }

    /// Number of records.
    var recordCount: UInt64 { merchant.store.commitFeed.durableSequence }

    func close() async {
        provider.release()
        for instance in instances { await instance.scheduler.stop() }
        await merchant.store.close()
    }
}

/// One running instance of the program.
final class ShopInstance: Sendable {
    let service: InquiryService
    let scheduler: InquiryScheduler
    private let told: Told

    private final class Told: Sendable {
        let notices = Mutex<[InquiryNotice]>([])
    }

    init(_ shop: Shop, _ turns: any InquiryTurns) {
        let told = Told()
        self.told = told
        service = InquiryService(
            [shop.merchant.target], store: shop.merchant.store, transport: shop.provider,
            clock: shop.clock)
        scheduler = InquiryScheduler(
            service, orders: shop.orders, commitFeed: shop.merchant.store.commitFeed,
            turns: turns, clock: shop.clock
        ) { _, notice in told.notices.withLock { $0.append(notice) } }
    }

    var notices: [InquiryNotice] { told.notices.withLock { $0 } }

    func status() async -> InquiryStatus? { await scheduler.statuses().first }

    var isServed: Bool { get async { await status()?.isServed == true } }
}

/// The open orders of a store, looked up one by one.
final class KnownOrders: OpenOrders {
    private let store: JournalStore
    private let clock: ManualClock
    private let known = Mutex<[OpenOrder]>([])

    init(_ store: JournalStore, _ clock: ManualClock) {
        self.store = store
        self.clock = clock
    }

    func add(_ reference: String, first: UInt64) {
        known.withLock {
            $0.append(
                OpenOrder(
                    first: first, last: first, reference: reference,
                    updated: Timestamp(microseconds: clock.wallMicroseconds), expires: nil))
        }
    }

    func sequence() async throws(ReadFailure) -> UInt64 { store.commitFeed.durableSequence }

    func oldestOpen(_ endpoint: String) async throws(ReadFailure) -> Timestamp? {
        await open().map(\.updated).min()
    }

    func open(_ query: OpenOrderQuery) async throws(ReadFailure) -> OpenOrderPage {
        let open = await open()
        let found = query.spans.map { span in
            open.filter {
                $0.updated <= span.through && $0.updated >= query.activeSince
                    && ($0.updated, $0.first) > (span.after, span.afterFirst)
            }.sorted { ($0.updated, $0.first) < ($1.updated, $1.first) }
        }
        return OpenOrderPage(found, of: query)
    }

    private func open() async -> [OpenOrder] {
        var open: [OpenOrder] = []
        for var order in known.withLock(\.self) {
            guard let view = await store.order(endpoint: "e", reference: order.reference),
                OpenOrder.isOpen(
                    view.order.status, flags: view.order.flags, expires: nil,
                    now: Timestamp(microseconds: clock.wallMicroseconds))
            else { continue }
            if let last = view.sequences.last, last != order.last {
                order.last = last
                order.updated = Timestamp(microseconds: clock.wallMicroseconds)
                known.withLock { [order] known in
                    known = known.map { $0.reference == order.reference ? order : $0 }
                }
            }
            open.append(order)
        }
        return open
    }
}

/// The leases of instances that share a database, in process.
final class LeaseTable: Sendable {
    private struct Row {
        let holder: Int
        let onLoss: @Sendable () -> Void
        /// Nil while its holder renews it.
        var expires: MonotonicTime?
    }

    private let clock: ManualClock
    private let rows = Mutex<[String: Row]>([:])
    private static let seconds = 3

    init(_ clock: ManualClock) { self.clock = clock }

    func turns(of instance: Int) -> any InquiryTurns { Turns(table: self, instance: instance) }

    /// Ends the instance without a release; its lease is no longer renewed.
    func kill(_ instance: Int) {
        rows.withLock { rows in
            for name in rows.keys where rows[name]?.holder == instance {
                rows[name]?.expires = clock.now.advanced(seconds: Self.seconds)
            }
        }
    }

    /// Takes the endpoint's lease away from its holder.
    func lose(_ endpoint: String) {
        let row = rows.withLock { $0.removeValue(forKey: endpoint) }
        row?.onLoss()
    }

    func holder(of endpoint: String) -> Int? { rows.withLock { $0[endpoint]?.holder } }

    private struct Turns: InquiryTurns {
        let table: LeaseTable
        let instance: Int

        func take(_ endpoint: String, onLoss: @escaping @Sendable () -> Void) -> Bool {
            table.rows.withLock { rows in
                if let row = rows[endpoint], row.expires.map({ $0 > table.clock.now }) ?? true {
                    return false
                }
                rows[endpoint] = Row(holder: instance, onLoss: onLoss)
                return true
            }
        }

        func holds(_ endpoint: String) -> Bool {
            table.rows.withLock { $0[endpoint].map { $0.holder == instance && $0.expires == nil } }
                ?? false
        }

        func release(_ endpoint: String) async {
            table.rows.withLock { rows in
                if rows[endpoint]?.holder == instance { rows[endpoint] = nil }
            }
        }
    }
}
