import Delivery
import HTTP
import Payments
import Store

/// The routes of the admin API, apart from HTTP: each returns a value.
struct AdminRoutes: Sendable {
    let orders: OrderRoutes
    let list: OrderListRoutes
    let events: EventRoutes
    let deliveries: DeliveryRoutes
    let inquiries: InquiryRoutes
    let decisions: OrderActRoutes
    let erasure: ErasureRoutes
    let audit: AuditRoutes
    let pages: AdminPages
}

/// The admin API for one caller in this process: it returns values where HTTP returns JSON.
///
/// The pages use it. It applies the rules of the API, such as roles and the record of each act, and
/// throws the problems that HTTP answers with.
package struct LocalClient: Sendable {
    package typealias Parameters = [(name: String, value: String)]

    let routes: AdminRoutes
    let caller: AdminCaller

    // MARK: Reading

    /// - Parameter parameters: Those of `GET /orders`.
    package func orders(_ parameters: Parameters) async throws(Problem) -> OrderListAnswer {
        let parameters = try QueryParameters(parameters, known: OrderListRoutes.parameters)
        return try await routes.list.page(parameters, caller)
    }

    /// The list as CSV.
    package func exportOrders(_ parameters: Parameters) async throws(Problem) -> Response {
        let parameters = try QueryParameters(parameters, known: OrderListRoutes.parameters)
        return try await routes.list.export(.csv, parameters, caller)
    }

    /// One order, with its repetitions.
    package func order(_ name: OrderName) async throws(Problem) -> OrderAnswer {
        try await routes.orders.order(name)
    }

    /// The records after `after`, `limit` at most. Unreadable ones are left out.
    package func events(after: UInt64, limit: Int) async throws(Problem) -> [EventAnswer] {
        do throws(ReadFailure) {
            let feed = routes.events.feed
            return try await feed.page(after: after, limit: limit) { page in
                var opener = feed.opener(caller.seesPersonalData)
                return page.records.compactMap {
                    EventAnswer($0.shown(whole: caller.seesPersonalData, &opener))
                }
            }
        } catch {
            throw Problem(error)
        }
    }

    /// The event with the request and the client's address, where another record holds them and the
    /// caller may see them. Retention may have removed that record.
    package func withRequest(_ event: EventAnswer) async throws(Problem) -> EventAnswer {
        guard let holder = event.part?.of, holder > 0, caller.seesPersonalData,
            let found = try await events(after: holder - 1, limit: 1).first,
            found.sequence == holder
        else { return event }
        var event = event
        (event.request, event.peer) = (found.request, found.peer)
        return event
    }

    /// The newest records before a sequence that match, newest first.
    ///
    /// - Parameters:
    ///   - sequence: Nil for the end.
    ///   - scanMax: Records that are read at most, so that a filter that matches little ends.
    /// - Returns: The records, and where the next page ends; nil at the beginning of the store.
    package func newestEvents(
        before sequence: UInt64?, limit: Int, scanMax: Int,
        where matches: (EventAnswer) -> Bool
    ) async throws(Problem) -> (events: [EventAnswer], next: UInt64?) {
        var end = routes.events.commitFeed.durableSequence
        if let sequence { end = min(end, max(sequence, 1) - 1) }
        var found: [EventAnswer] = []
        var scanned = 0
        while end > 0, scanned < scanMax {
            let size = min(UInt64(Self.scanStep), end)
            let page = try await events(after: end - size, limit: Int(size))
            for event in page.reversed() where event.sequence <= end && matches(event) {
                found.append(event)
                if found.count == limit {
                    return (found, event.sequence > 1 ? event.sequence : nil)
                }
            }
            end -= size
            scanned += Int(size)
        }
        return (found, end > 0 ? end + 1 : nil)
    }

    private static let scanStep = 200

    /// The state of an event at each destination.
    package func whereabouts(of sequence: UInt64) async throws(Problem) -> [EventWhereabouts] {
        guard let service = routes.deliveries.service else { return [] }
        do throws(DeliveryCommandFailure) {
            return try await service.whereabouts(of: sequence)
        } catch {
            throw Problem(error)
        }
    }

    package func destinations() async -> [DestinationAnswer] {
        await routes.deliveries.destinations()
    }

    /// - Parameter parameters: Those of `GET /deliveries`.
    package func deliveries(_ parameters: Parameters) async throws(Problem) -> DeliveryListAnswer {
        try await routes.deliveries.list(
            QueryParameters(parameters, known: DeliveryRoutes.listParameters))
    }

    /// - Parameter parameters: Those of `GET /audit`.
    package func auditEntries(_ parameters: Parameters) async throws(Problem) -> AuditAnswer {
        let parameters = try QueryParameters(parameters, known: AuditRoutes.parameters)
        return try await routes.audit.page(parameters, caller)
    }

    package func metrics() async -> MetricsReading {
        MetricsReading(String(decoding: await routes.pages.metrics(), as: UTF8.self))
    }

    /// Whether the caller may erase, and records are sealed, so that they can be erased.
    package var canErase: Bool { caller.role.mayErase && routes.erasure.feed.isSealed }

    /// Why notifications are not accepted, as a reason code; nil when they are.
    package var hindrance: String? { routes.pages.hindrance() }

    // MARK: Acting

    package func pause(_ destination: String) async throws(Problem) {
        _ = try await run(.pause, destination)
    }

    package func resume(_ destination: String) async throws(Problem) {
        _ = try await run(.resume, destination)
    }

    /// Sends an example to a destination.
    package func test(_ destination: String) async throws(Problem) -> DeliveryTestAnswer? {
        try await run(.test, destination)
    }

    private func run(
        _ command: DestinationCommand, _ destination: String
    ) async throws(Problem) -> DeliveryTestAnswer? {
        try caller.checkMayAct()
        return try await routes.deliveries.run(command, on: destination, reason: "", by: caller)
    }

    /// Retries dead letters at once, or counts them.
    ///
    /// - Parameter parameters: The filter of `POST /deliveries/retry`.
    package func retryDeliveries(
        _ parameters: Parameters, isDry: Bool = false
    ) async throws(Problem) -> DeliveryChangeAnswer {
        try caller.checkMayAct()
        let parameters = try QueryParameters(parameters, known: DeliveryRoutes.filters)
        return try await routes.deliveries.change(
            .retry, parameters, isDry: isDry, reason: "", by: caller)
    }

    /// Delivers the events of an order again. Returns the number of events and destinations.
    package func resend(_ name: OrderName) async throws(Problem) -> DeliveryChangeAnswer {
        try caller.checkMayAct()
        let parameters = try QueryParameters(
            [("reference", name.reference), ("endpoint", name.endpoint)],
            known: DeliveryRoutes.resendParameters)
        return try await routes.deliveries.resend(
            parameters, isDry: false, reason: "", by: caller)
    }

    /// Asks the provider about an order.
    package func inquire(_ name: OrderName) async throws(Problem) -> InquiryReportAnswer {
        try caller.checkMayAct()
        return try await routes.inquiries.inquire(name, reason: "", by: caller)
    }

    /// Ends a `review`.
    package func resolve(
        _ name: OrderName, _ resolution: ResolutionRequest
    ) async throws(Problem) -> OrderAnswer {
        try caller.checkMayAct()
        return try await routes.decisions.resolve(name, resolution, by: caller)
    }

    /// Erases the personal parts of an order's records.
    ///
    /// - Parameters:
    ///   - reason: Recorded.
    ///   - last: The newest record that the person saw.
    package func erase(
        _ name: OrderName, reason: String, last: UInt64
    ) async throws(Problem) -> ErasureAnswer {
        try await routes.erasure.erase(
            name, reason: ActReason.checked(reason, ErasureRoutes.code), last: last, by: caller)
    }

    /// Replaces the expected amount.
    ///
    /// - Parameters:
    ///   - reason: Recorded.
    ///   - last: The newest record that the person saw.
    package func correct(
        _ name: OrderName, amount: Money, reason: String, last: UInt64
    ) async throws(Problem) -> OrderAnswer {
        try caller.checkMayAct()
        let correction = try CorrectionRequest(amount: amount, reason: reason)
        return try await routes.decisions.correct(name, correction, last: last, by: caller)
    }
}
