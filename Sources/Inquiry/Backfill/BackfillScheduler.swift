import Platform
import Providers
import Synchronization

/// Reads the lists of all endpoints that have a `backfill` in their configuration.
package final class BackfillScheduler: Sendable {
    private struct Running {
        let worker: BackfillWorker
        let task: Task<Void, Never>
    }

    private let service: InquiryService
    private let surroundings: BackfillSurroundings
    private let clock: any Clock
    private let report: @Sendable (_ endpoint: String, BackfillNotice) -> Void
    private let running = Mutex<[String: Running]>([:])

    /// Starts reading.
    ///
    /// - Parameter report: Receives what an operator should see of an endpoint.
    package init(
        _ service: InquiryService, in surroundings: BackfillSurroundings, clock: any Clock,
        report: @escaping @Sendable (_ endpoint: String, BackfillNotice) -> Void
    ) {
        self.service = service
        self.surroundings = surroundings
        self.clock = clock
        self.report = report
        reload()
    }

    /// Starts and stops workers after the service's targets have changed.
    package func reload() {
        let wanted = service.targets.filter { $0.backfillAfterGapSeconds != nil }
        running.withLock { running in
            for (endpoint, ending) in running
            where !wanted.contains(where: { ending.worker.serves($0) }) {
                running[endpoint] = nil
                ending.task.cancel()
            }
            for target in wanted where running[target.endpoint] == nil {
                running[target.endpoint] = start(target)
            }
        }
    }

    private func start(_ target: InquiryTarget) -> Running {
        let worker = BackfillWorker(
            target, service: service, surroundings: surroundings, clock: clock
        ) { [report] in report(target.endpoint, $0) }
        return Running(
            worker: worker,
            task: Task.detached(executorPreference: BackgroundExecutor.shared) {
                await worker.run()
            })
    }

    /// The status of each endpoint, sorted by name.
    package func statuses() async -> [BackfillStatus] {
        let all = running.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
        var statuses: [BackfillStatus] = []
        for one in all { statuses.append(await one.worker.status()) }
        return statuses
    }

    /// Gives up the pages that are being read: they are read again after the next start.
    package func stop() async {
        let all = running.withLock { running in
            defer { running = [:] }
            return Array(running.values)
        }
        for one in all {
            await one.worker.stop()
            one.task.cancel()
        }
        for one in all { await one.task.value }
    }
}

extension BackfillWorker {
    /// Whether a reloaded endpoint can stay with this worker. Credentials and limits are the
    /// service's.
    nonisolated fileprivate func serves(_ target: InquiryTarget) -> Bool {
        target.endpoint == self.target.endpoint
            && target.backfillAfterGapSeconds == self.target.backfillAfterGapSeconds
    }
}
