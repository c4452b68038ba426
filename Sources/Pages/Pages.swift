import AdminAPI
import Configuration
import HTTP
import Platform
import Simulator
import Store

/// What the pages need of the server they run in.
package struct PageSources: Sendable {
    package var commitFeed: CommitFeed
    package var lists: any OrderLists
    /// As configured now.
    package var endpoints: @Sendable () -> [EndpointConfiguration]
    /// The newest entries of the rejection log, the newest first, or the one of this id.
    package var rejections: @Sendable (_ id: String?) -> [RejectionEntry]
    /// What `ipnd explain` finds out about an entry; nil where no endpoint fits it. It may take a
    /// second of one core.
    package var explain: @Sendable (RejectionEntry) -> Explanation?
    /// The journal's directory; nil with a database in its place.
    package var journal: String?

    package init(
        commitFeed: CommitFeed, lists: any OrderLists,
        endpoints: @escaping @Sendable () -> [EndpointConfiguration],
        rejections: @escaping @Sendable (_ id: String?) -> [RejectionEntry],
        explain: @escaping @Sendable (RejectionEntry) -> Explanation?, journal: String?
    ) {
        self.commitFeed = commitFeed
        self.lists = lists
        self.endpoints = endpoints
        self.rejections = rejections
        self.explain = explain
        self.journal = journal
    }
}

/// Everything of the pages that lives longer than a request, and over reloads.
package final class Pages: Sendable {
    let clock: any Clock
    let sessions: Sessions
    let gate: TokenGate
    let sources: PageSources
    let rates: RateMeter
    let streams: PageStreams
    let journalCheck: JournalCheck?
    let explaining = ReaderTurns(1)

    package init(_ sources: PageSources, gate: TokenGate, clock: any Clock) {
        self.sources = sources
        self.gate = gate
        self.clock = clock
        sessions = Sessions(clock: clock)
        rates = RateMeter(sources.commitFeed, clock: clock)
        streams = PageStreams(sources.commitFeed, sources.lists, clock: clock)
        journalCheck = sources.journal.map { JournalCheck($0, clock: clock) }
    }

    /// The page or act that a route names, for somebody who may be here.
    func respond(
        _ route: PageRoute, _ visit: PageVisit, _ access: AdminAccess
    ) async -> Response {
        do throws(PageProblem) {
            if route.methods == [.post], !visit.role.mayAct { throw .roleMayNotAct }
            switch route {
            case .now: return try await NowScreen(rates: rates).page(visit)
            case .orders: return try await OrdersScreen(sources: sources).page(visit)
            case .orderExport: return await OrdersScreen(sources: sources).export(visit)
            case .order(let endpoint, let reference):
                let configured = sources.endpoints().first { $0.name == endpoint }
                let screen = OrderScreen(
                    endpoint: endpoint, reference: reference,
                    canInquire: configured?.inquiry != nil)
                return try await screen.page(visit)
            case .rejections:
                return try await RejectionsScreen(sources: sources, turns: explaining).page(visit)
            case .destinations: return try await DestinationsScreen().page(visit)
            case .providers:
                let screen = ProvidersScreen(
                    endpoints: sources.endpoints(), hasOtherInstances: sources.journal == nil)
                return try await screen.page(visit)
            case .journal: return try await JournalScreen(check: journalCheck).page(visit)
            case .stream: return try streams.response(visit, sessions, access)
            case .destinationAct(let name, let action):
                return try await DestinationsScreen().act(action, on: name, visit)
            case .retry: return try await DestinationsScreen().retry(visit)
            case .orderAct(let endpoint, let reference, let action):
                return try await OrderActs(endpoint: endpoint, reference: reference)
                    .act(action, visit)
            case .verifyJournal:
                journalCheck?.start()
                return PageResponse.redirect(to: "\(visit.base)journal?notice=verifying")
            default: throw .unknownPage
            }
        } catch {
            guard case .orderAct(let endpoint, let reference, _) = route else {
                return visit.page(error)
            }
            return visit.page(error, back: visit.path(endpoint: endpoint, reference: reference))
        }
    }
}
