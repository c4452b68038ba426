import AdminAPI
import Explain
import HTTP
import Platform
import ServerConfiguration
import Simulator
import Store

/// The parts of the server that the pages show.
package struct PageSources: Sendable {
    package var commitFeed: CommitFeed
    package var lists: any OrderLists
    /// The endpoints of the running configuration.
    package var endpoints: @Sendable () -> [EndpointConfiguration]
    /// The newest entries of the rejection log, newest first, or the one of this id.
    package var rejections: @Sendable (_ id: String?) -> [RejectionEntry]
    /// The explanation of an entry, as `ipnd explain` gives it; nil where no endpoint fits. It may
    /// take a second of one core.
    package var explain: @Sendable (RejectionEntry) -> Explanation?
    /// The journal's directory; nil with a database.
    package var journal: String?
    /// Nil keeps no counts over restarts.
    package var history: FigureHistory?

    package init(
        commitFeed: CommitFeed, lists: any OrderLists,
        endpoints: @escaping @Sendable () -> [EndpointConfiguration],
        rejections: @escaping @Sendable (_ id: String?) -> [RejectionEntry],
        explain: @escaping @Sendable (RejectionEntry) -> Explanation?, journal: String?,
        history: FigureHistory? = nil
    ) {
        self.commitFeed = commitFeed
        self.lists = lists
        self.endpoints = endpoints
        self.rejections = rejections
        self.explain = explain
        self.journal = journal
        self.history = history
    }
}

/// The state of the pages that outlives a request and a reload.
package final class Pages: Sendable {
    let clock: any Clock
    let sessions: Sessions
    let gate: TokenGate
    /// Nil keeps no audit trail.
    let audit: AuditLog?
    let sources: PageSources
    let rates: RateMeter
    let streams: PageStreams
    let journalCheck: JournalCheck?
    let paid: PaidFigures
    let explaining = Turns(1)

    package init(
        _ sources: PageSources, gate: TokenGate, audit: AuditLog? = nil, clock: any Clock
    ) {
        self.sources = sources
        self.gate = gate
        self.audit = audit
        self.clock = clock
        sessions = Sessions(clock: clock)
        rates = RateMeter(sources.commitFeed, clock: clock)
        paid = PaidFigures(sources.lists, clock: clock)
        streams = PageStreams(sources.commitFeed, sources.lists, clock: clock)
        journalCheck = sources.journal.map { JournalCheck($0, clock: clock) }
    }

    /// Answers a route for an authenticated caller, and records the act or the look at personal
    /// data.
    func respond(
        _ route: PageRoute, _ visit: PageVisit, _ access: AdminAccess
    ) async -> Response {
        let response = await answer(route, visit, access)
        guard let audit, let audited = route.audited(visit) else { return response }
        let entry = AuditEntry(
            audited.what, by: visit.caller, on: audited.on, result: response.status)
        // An act is done and is in the store; a look is not shown.
        guard !audit.add(entry), route.methods != [.post] else { return response }
        return visit.page(.auditUnavailable)
    }

    private func answer(
        _ route: PageRoute, _ visit: PageVisit, _ access: AdminAccess
    ) async -> Response {
        do throws(Problem) {
            if route.methods == [.post], !visit.role.mayAct { throw .viewerMayNotAct }
            switch route {
            case .now:
                let screen = NowScreen(
                    rates: rates, paid: paid, history: sources.history,
                    hour: clock.coarseWallSeconds / 3600)
                return try await screen.page(visit)
            case .orders: return try await OrdersScreen(sources: sources).page(visit)
            case .orderExport: return try await OrdersScreen(sources: sources).export(visit)
            case .order(let endpoint, let reference):
                let configured = sources.endpoints().first { $0.name == endpoint }
                let screen = OrderScreen(
                    name: OrderName(endpoint: endpoint, reference: reference),
                    canInquire: configured?.inquiry != nil)
                return try await screen.page(visit)
            case .events: return try await EventsScreen(sources: sources).page(visit)
            case .rejections:
                return try await RejectionsScreen(sources: sources, turns: explaining).page(visit)
            case .destinations: return try await DestinationsScreen().page(visit)
            case .providers:
                let screen = ProvidersScreen(
                    endpoints: sources.endpoints(), hasOtherInstances: sources.journal == nil)
                return try await screen.page(visit)
            case .audit: return try await AuditScreen().page(visit)
            case .journal: return try await JournalScreen(check: journalCheck).page(visit)
            case .stream: return try streams.response(visit, sessions, access)
            case .destinationAct(let name, let action):
                return try await DestinationsScreen().act(action, on: name, visit)
            case .retry: return try await DestinationsScreen().retry(visit)
            case .orderAct(let endpoint, let reference, let action):
                let name = OrderName(endpoint: endpoint, reference: reference)
                return try await OrderActs(name: name).act(action, visit)
            case .verifyJournal:
                journalCheck?.start()
                return PageResponse.redirect(to: "\(visit.base)journal?notice=verifying")
            default: throw .pageUnknown
            }
        } catch {
            guard case .orderAct(let endpoint, let reference, _) = route else {
                return visit.page(error)
            }
            return visit.page(error, back: visit.path(endpoint: endpoint, reference: reference))
        }
    }
}
