import Platform
import Providers
import Store

/// Asks the providers of all endpoints that have a schedule.
package final class InquiryScheduler: Sendable {
    private let service: InquiryService
    private let orders: any OpenOrders
    private let commitFeed: CommitFeed
    private let turns: any InquiryTurns
    private let clock: any Clock
    private let report: @Sendable (_ endpoint: String, InquiryNotice) -> Void
    private let workers = EndpointWorkers<InquiryWorker>()

    /// Starts asking.
    ///
    /// - Parameter report: Receives what an operator should see of an endpoint.
    package init(
        _ service: InquiryService, orders: any OpenOrders, commitFeed: CommitFeed,
        turns: any InquiryTurns = OnlyInstance(), clock: any Clock,
        report: @escaping @Sendable (_ endpoint: String, InquiryNotice) -> Void
    ) {
        self.service = service
        self.orders = orders
        self.commitFeed = commitFeed
        self.turns = turns
        self.clock = clock
        self.report = report
        reload()
    }

    /// Starts and stops workers after the service's targets have changed.
    package func reload() {
        workers.serve(service.targets.filter(\.schedule.isAutomatic)) { target in
            InquiryWorker(
                target.endpoint, target.schedule, service: service, orders: orders,
                commitFeed: commitFeed, turns: turns, clock: clock
            ) { [report] in report(target.endpoint, $0) }
        }
    }

    /// The status of each endpoint, sorted by name.
    package func statuses() async -> [InquiryStatus] { await workers.statuses() }

    /// Asks nothing more, and waits a few seconds for answers.
    package func stop() async { await workers.stop() }
}

extension InquiryWorker: EndpointWorker {
    static var isInterruptible: Bool { false }

    nonisolated func follow(_ target: InquiryTarget) -> Bool {
        Task.detached(executorPreference: WorkerPool.shared) { await self.replace(target.schedule) }
        return true
    }
}
