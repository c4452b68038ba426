import Providers
import TestSupport
import Testing

@testable import Inquiry

/// Which endpoints have a worker, after starts, reloads and stops.
@Suite struct EndpointWorkersTests {
    /// Runs until it is stopped, or until its task is cancelled.
    private actor Sleeper: EndpointWorker {
        static let isInterruptible = true
        private let endpoint: String
        private let provider: String
        private let ended: Box<[String]>
        private var waiting: CheckedContinuation<Void, Never>?
        private var isStopped = false

        init(_ target: InquiryTarget, ended: Box<[String]>) {
            (endpoint, provider) = (target.endpoint, target.provider)
            self.ended = ended
        }

        /// Another provider needs another worker.
        nonisolated func follow(_ target: InquiryTarget) -> Bool { target.provider == provider }

        func run() async {
            if !isStopped { await withCheckedContinuation { waiting = $0 } }
            ended.update { $0.append("\(endpoint) \(provider)") }
        }

        func stop() {
            isStopped = true
            waiting?.resume()
            waiting = nil
        }

        func status() -> String { "\(endpoint) \(provider)" }
    }

    private let workers = EndpointWorkers<Sleeper>()
    private let ended = Box<[String]>([])
    private let started = Box<[String]>([])

    private func serve(_ endpoints: [(name: String, provider: String)]) throws {
        let sample = try Merchant.target("ecommpay", 5, InquirySchedule())
        let targets = endpoints.map {
            InquiryTarget(
                endpoint: $0.name, provider: $0.provider, inquirer: sample.inquirer,
                url: sample.url)
        }
        workers.serve(targets) { target in
            started.update { $0.append(target.endpoint) }
            return Sleeper(target, ended: ended)
        }
    }

    @Test func `each endpoint has one worker, and removed ones end`() async throws {
        try serve([("b", "ecommpay"), ("a", "ecommpay")])
        #expect(await workers.statuses() == ["a ecommpay", "b ecommpay"])
        // The same again, and one removed.
        try serve([("b", "ecommpay"), ("a", "ecommpay")])
        try serve([("b", "ecommpay")])
        #expect(await eventuallyYielding { ended.get() == ["a ecommpay"] })
        #expect(await workers.statuses() == ["b ecommpay"])
        #expect(started.get() == ["b", "a"])
        // Another provider under the same name.
        try serve([("b", "citcon-upi")])
        #expect(await eventuallyYielding { ended.get() == ["a ecommpay", "b ecommpay"] })
        #expect(await workers.statuses() == ["b citcon-upi"])
        await workers.stop()
        #expect(ended.get().last == "b citcon-upi")
        #expect(await workers.statuses() == [])
    }
}
