import Console
import Glibc
import Providers
import RawClient
import Simulator
import Synchronization

/// The output of `ipnd send`.
final class SendReporter: Sendable {
    /// A longer trial shows failures and a summary, not a row for each request.
    private static let rowsMax = 40

    private struct State {
        var tally = SimulationTally()
        var table = TextTable([
            ("#", .right), ("event", .left), ("reference", .left), ("attempt", .left),
            ("status", .right), ("ms", .right), ("verdict", .left),
        ])
        var rows = 0
    }

    private let plan: SimulationPlan
    private let trial: SimulationSender
    private let place: SimulationDestination
    private let schedule: RetrySchedule?
    private let isJSON: Bool
    private let terminal: Terminal
    private let expected: ScenarioExpectation?
    private let state = Mutex(State())
    private let bar: Mutex<ProgressBar>

    init(
        plan: SimulationPlan, trial: SimulationSender, place: SimulationDestination,
        schedule: RetrySchedule?,
        isJSON: Bool, expected: ScenarioExpectation?, terminal: Terminal
    ) {
        self.terminal = terminal
        self.plan = plan
        self.trial = trial
        self.place = place
        self.schedule = schedule
        self.isJSON = isJSON
        self.expected = expected
        bar = Mutex(ProgressBar("sending"))
    }

    private var isSingle: Bool { plan.requestCount == 1 && schedule == nil }

    /// With a schedule each attempt is reported as it ends: the next may be hours later.
    private var announces: Bool { schedule != nil && plan.requestCount <= Self.rowsMax }

    func begin() {
        guard !isJSON else { return }
        let title = trial.descriptor.title
        if isSingle, let delivery = plan.stages.first?.first {
            StandardOutput.print(Self.describe(delivery, by: title, to: place))
            return
        }
        StandardOutput.print(
            "\(title) → \(place.destination) \(place.target): \(plan.scenario.story), "
                + counted(plan.requestCount, "request"))
        if let schedule, !schedule.isPublished {
            StandardOutput.print(
                "\(title) publishes no retry schedule; using pauses of "
                    + schedule.pauses.map(\.brief).joined(separator: ", "))
        }
    }

    private static func describe(
        _ delivery: SimulationDelivery, by title: String, to place: SimulationDestination
    ) -> String {
        let event = delivery.event
        let signedFor = place.signedPath == place.target ? "" : ", signed for \(place.signedPath)"
        return """
            sent      \(title) \(event.type.rawValue), \(event.money), \
            \(delivery.outbound.body.count) bytes
            reference \(event.reference)
            payment   \(event.transaction)
            to        \(place.destination) \(place.target)\(signedFor)
            """
    }

    func report(_ exchange: Exchange) {
        state.withLock { state in
            state.tally.add(exchange)
            if isJSON {
                _ = StandardOutput.write(exchange.json + [UInt8(ascii: "\n")])
                return
            }
            if announces {
                announce(exchange)
                return
            }
            if isSingle {
                StandardOutput.print(Self.describe(exchange))
                return
            }
            let isShown = plan.requestCount <= Self.rowsMax || !exchange.isSatisfactory
            if isShown, state.rows < Self.rowsMax {
                state.rows += 1
                state.table.add(Self.row(exchange))
            }
            let requests = state.tally.requests
            bar.withLock { $0.show(requests, of: plan.requestCount) }
        }
    }

    private func announce(_ exchange: Exchange) {
        var line = plan.requestCount > 1 ? "#\(exchange.delivery.number) " : ""
        line +=
            "after \(exchange.elapsed.brief), attempt \(exchange.attempt): \(exchange.summary)"
        if !exchange.isSatisfactory, let pause = schedule?.pause(after: exchange.attempt) {
            line += "; next in \(pause.brief)"
        }
        StandardError.print(line)
    }

    private static func describe(_ exchange: Exchange) -> String {
        let milliseconds = "\(exchange.micros / 1000).\(exchange.micros % 1000 / 100) ms"
        let answer: String
        switch exchange.result {
        case .success(let response):
            let body = TextTable.printable(
                String(decoding: response.body.prefix(400), as: UTF8.self))
            answer = "\(response.status) \(body.isEmpty ? "(empty)" : body) in \(milliseconds)"
        case .failure(let error): answer = "none: \(error)"
        }
        return "answer    \(answer)\nverdict   \(exchange.summary)"
    }

    private static func row(_ exchange: Exchange) -> [String] {
        let answer =
            switch exchange.result {
            case .success(let response): String(response.status)
            case .failure(let error): error.reason
            }
        return [
            String(exchange.delivery.number), exchange.delivery.event.type.rawValue,
            exchange.delivery.event.reference, String(exchange.attempt), answer,
            String(exchange.micros / 1000), exchange.summary,
        ]
    }

    /// Prints the outcome, and the orders' states if they can be read. Returns the exit status.
    ///
    /// - Parameter isAsked: Whether it is a failure if the orders cannot be read.
    func end(_ check: OrderCheck?, isAsked: Bool) -> Int32 {
        bar.withLock { $0.finish() }
        return state.withLock { state in
            let tally = state.tally
            let references = plan.lives.map(\.reference)
            let findings = tally.neverConnected ? [] : check?.findings(references) ?? []
            var status = tally.exitStatus
            if status == 0, findings.contains(where: { $0.isExpected == false }) {
                status = EXIT_FAILURE
            }
            if status == 0, isAsked, check?.failure != nil { status = EX_UNAVAILABLE }
            if isJSON {
                for finding in findings { _ = StandardOutput.write(finding.json) }
                _ = StandardOutput.write(
                    tally.report(expected: expected, exitStatus: status).json
                        + [UInt8(ascii: "\n")])
            } else if !isSingle {
                if !state.table.isEmpty {
                    state.table.print(on: terminal)
                }
                StandardOutput.print(
                    "\(tally.satisfied) passed, \(tally.unsatisfied) failed; "
                        + "answers: \(tally.answersText); median \(tally.quantile(0.5)) µs, "
                        + "99 % \(tally.quantile(0.99)) µs")
            }
            if !isJSON {
                if let expected { StandardOutput.print("expected  \(expected)") }
                Self.lines(findings, of: references.count).forEach(StandardOutput.print)
            }
            if let reason = check?.failure, !tally.neverConnected {
                StandardError.print("ipnd send: the order could not be checked: \(reason)")
            }
            if tally.neverConnected, let failure = tally.connectFailure {
                StandardError.print("ipnd send: \(failure)\(Self.remedy(failure))")
            }
            return status
        }
    }

    /// Maximum number of orders not as expected that are named.
    private static let namedMax = 10

    private static func lines(_ findings: [OrderCheck.Finding], of count: Int) -> [String] {
        if count == 1, let only = findings.first {
            let verdict =
                switch only.isExpected {
                case true?: ", as expected"
                case false?: ", not as expected"
                case nil: ""
                }
            return ["order     \(only.name) \(only.sentence)\(verdict)"]
        }
        guard !findings.isEmpty else { return [] }
        let wrong = findings.filter { $0.isExpected == false }
        let right = findings.count { $0.isExpected == true }
        var line = "orders    \(right) as expected, \(wrong.count) not"
        if right + wrong.count < findings.count {
            line += ", \(findings.count - right - wrong.count) not checked"
        }
        if findings.count < count { line += "; the first \(findings.count) of \(count)" }
        return [line]
            + wrong.prefix(namedMax).map {
                "          \($0.name) \($0.sentence)"
            }
    }

    private static func remedy(_ failure: ClientError) -> String {
        switch failure {
        case .refused, .unreachable: ". Is `ipnd serve` running? Another address: --url"
        case .tls: " Pass its CA with --ca FILE, or trust any certificate with --insecure."
        default: ""
        }
    }
}
