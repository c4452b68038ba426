import Platform
import Providers

/// Reads the lists of all endpoints that have a `backfill` in their configuration.
package final class BackfillScheduler: Sendable {
    private let service: InquiryService
    private let surroundings: BackfillSurroundings
    private let clock: any Clock
    private let report: @Sendable (_ endpoint: String, BackfillNotice) -> Void
    private let workers = EndpointWorkers<BackfillWorker>()

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
        workers.serve(service.targets.filter { $0.backfillAfterGapSeconds != nil }) { target in
            BackfillWorker(target, service: service, surroundings: surroundings, clock: clock) {
                [report] in report(target.endpoint, $0)
            }
        }
    }

    /// The status of each endpoint, sorted by name.
    package func statuses() async -> [BackfillStatus] { await workers.statuses() }

    /// Gives up the pages that are being read: they are read again after the next start.
    package func stop() async { await workers.stop() }
}

extension BackfillWorker: EndpointWorker {
    static var isInterruptible: Bool { true }

    /// Credentials and limits are the service's.
    nonisolated func follow(_ target: InquiryTarget) -> Bool {
        target.backfillAfterGapSeconds == self.target.backfillAfterGapSeconds
    }
}
