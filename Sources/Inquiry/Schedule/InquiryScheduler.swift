import Platform
import Providers
import Store
import Synchronization

/// Asks the providers of all endpoints that have a schedule.
package final class InquiryScheduler: Sendable {
    private struct Running {
        let worker: InquiryWorker
        let task: Task<Void, Never>
    }

    private let service: InquiryService
    private let orders: any OpenOrders
    private let commitFeed: CommitFeed
    private let turns: any InquiryTurns
    private let clock: any Clock
    private let report: @Sendable (_ endpoint: String, InquiryNotice) -> Void
    private let running = Mutex<[String: Running]>([:])

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
        let wanted = service.targets.filter(\.schedule.isAutomatic)
        running.withLock { running in
            for (endpoint, ending) in running
            where !wanted.contains(where: { $0.endpoint == endpoint }) {
                running[endpoint] = nil
                Task.detached { await ending.worker.stop() }
            }
            for target in wanted {
                if let worker = running[target.endpoint]?.worker {
                    Task.detached { await worker.replace(target.schedule) }
                } else {
                    running[target.endpoint] = start(target)
                }
            }
        }
    }

    private func start(_ target: InquiryTarget) -> Running {
        let worker = InquiryWorker(
            target.endpoint, target.schedule, service: service, orders: orders,
            commitFeed: commitFeed, turns: turns, clock: clock
        ) { [report] in report(target.endpoint, $0) }
        return Running(
            worker: worker,
            task: Task.detached(executorPreference: BackgroundExecutor.shared) {
                await worker.run()
            })
    }

    /// The status of each endpoint, sorted by name.
    package func statuses() async -> [InquiryStatus] {
        let all = running.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
        var statuses: [InquiryStatus] = []
        for one in all { statuses.append(await one.worker.status()) }
        return statuses
    }

    /// Asks nothing more, and waits a few seconds for answers.
    package func stop() async {
        let all = running.withLock { running in
            defer { running = [:] }
            return Array(running.values)
        }
        for one in all { await one.worker.stop() }
        for one in all { await one.task.value }
    }
}
