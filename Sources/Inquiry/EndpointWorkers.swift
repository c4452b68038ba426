import Platform
import Providers
import Synchronization

/// Work for one endpoint that goes on until it is stopped.
protocol EndpointWorker: Actor {
    associatedtype Status: Sendable

    /// Whether stopping gives up the request that waits for its answer.
    static var isInterruptible: Bool { get }

    /// Continues with the endpoint as a reload has left it; false where another worker must begin.
    nonisolated func follow(_ target: InquiryTarget) -> Bool

    func run() async
    func stop()
    func status() -> Status
}

/// The workers of all endpoints that need one.
final class EndpointWorkers<Worker: EndpointWorker>: Sendable {
    private struct Running {
        let worker: Worker
        let task: Task<Void, Never>

        func stop() async {
            await worker.stop()
            if Worker.isInterruptible { task.cancel() }
        }
    }

    private let running = Mutex<[String: Running]>([:])

    /// Stops the workers of other endpoints, and starts those that are missing.
    func serve(_ targets: [InquiryTarget], start: (InquiryTarget) -> Worker) {
        running.withLock { running in
            for (endpoint, one) in running
            where !targets.contains(where: { $0.endpoint == endpoint && one.worker.follow($0) }) {
                running[endpoint] = nil
                Task.detached(executorPreference: WorkerPool.shared) { await one.stop() }
            }
            for target in targets where running[target.endpoint] == nil {
                let worker = start(target)
                running[target.endpoint] = Running(
                    worker: worker,
                    task: Task.detached(executorPreference: BackgroundExecutor.shared) {
                        await worker.run()
                    })
            }
        }
    }

    /// The status of each endpoint, sorted by name.
    func statuses() async -> [Worker.Status] {
        let all = running.withLock { $0.sorted { $0.key < $1.key }.map(\.value.worker) }
        var statuses: [Worker.Status] = []
        for worker in all { statuses.append(await worker.status()) }
        return statuses
    }

    /// Stops all, and waits for their end.
    func stop() async {
        let all = running.withLock { running in
            defer { running = [:] }
            return Array(running.values)
        }
        for one in all { await one.stop() }
        for one in all { await one.task.value }
    }
}
