import ArgumentParser
import Console
import Glibc
import Platform
import Providers
import RawClient
import ServerConfiguration
import Simulator
import TLS

import struct Payments.Timestamp

/// `ipnd send --config FILE --endpoint NAME`
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract:
            "Act as the provider: sign notifications, send them, check the answers and the order.",
        discussion: """
            Signs with the provider's keys that `ipnd init` wrote to sandbox/. Sends one payment \
            notification with a new reference by default. Statuses: \
            \(EventType.allCases.map(\.rawValue).joined(separator: ", ")). Scenarios:

            \(Scenario.all.map { "  \($0.name): \($0.story)" }.joined(separator: "\n"))

            Then reads the order from the admin API of the configuration.

            Exit status 0: all answers and orders as expected. 1: not all. 64: invalid command \
            line. 69: server unreachable. 78: invalid configuration.

            Example: ipnd send --config sandbox/ipnd.yaml --endpoint \(ExampleName.endpoint) \
            --scenario refund
            """)

    @OptionGroup var file: ConfigurationOption
    @Option(
        help: "The endpoint to send to, by its name in the configuration.", completion: .endpoints)
    var endpoint: String
    @OptionGroup(title: "What to send") var event: SendEventOptions
    @OptionGroup(title: "Where and how") var route: SendRouteOptions
    @OptionGroup var live: LiveOption
    @Flag(help: "Print JSON Lines: one per request, then a summary.") var json = false
    @OptionGroup var display: TerminalOptions

    func run() throws {
        // OpenSSL writes without MSG_NOSIGNAL: a closed connection must be an error, not a signal.
        signal(SIGPIPE, SIG_IGN)
        let configuration = try file.load()
        try live.check(configuration, "send")
        do {
            let clock = SystemClock()
            let trial = try SimulationSender(configuration, endpoint: endpoint)
            let place = try SimulationDestination(configuration, trial.endpoint, url: route.url)
            live.warn(trial, "send")
            let plan = try plan(trial, place, clock)
            try route.register(plan, endpoint: endpoint)
            if route.lose {
                for life in plan.lives {
                    StandardOutput.print("lost in transit: every notification of \(life.reference)")
                }
                return
            }
            try send(
                plan, trial, place, orderCheck(configuration, plan, trial, clock), clock)
        } catch let error as SimulationError {
            StandardError.print("ipnd send: \(error)")
            throw ExitCode(error.isConfiguration ? EX_CONFIG : EX_USAGE)
        }
    }

    private func plan(
        _ trial: SimulationSender, _ place: SimulationDestination, _ clock: any Clock
    ) throws(SimulationError) -> SimulationPlan {
        let now = clock.wallMicroseconds
        let orders = event.orders(microseconds: now)
        let bar = ProgressBar("signing")
        defer { bar.finish() }
        let plan = try SimulationPlan(
            event.play, of: orders, by: trial, path: place.signedPath, target: place.target,
            copies: event.repeat
        ) { signed in
            bar.show(signed, of: orders.count * event.play.steps.count)
        }
        warnOfForeignKeys(plan, trial, at: Timestamp(microseconds: now))
        return plan
    }

    /// Warns before sending if the endpoint has other keys than the sandbox.
    private func warnOfForeignKeys(
        _ plan: SimulationPlan, _ trial: SimulationSender, at time: Timestamp
    ) {
        guard route.url == nil, let first = plan.stages.first?.first,
            first.authenticity == .genuine,
            let refusal = trial.refusal(of: first.outbound, at: time)
        else { return }
        StandardError.print(
            "ipnd send: warning: the endpoint does not accept signatures of the keys in sandbox/ "
                + "(\(refusal.reason)): were its keys replaced after `ipnd init`?")
    }

    /// Reads the orders before anything is sent.
    private func orderCheck(
        _ configuration: Configuration, _ plan: SimulationPlan, _ trial: SimulationSender,
        _ clock: any Clock
    ) throws -> OrderCheck? {
        let check = try OrderCheck(
            configuration, endpoint: endpoint, url: route.admin,
            expected: trial.isTest ? nil : event.orderExpectation,
            clock: clock)
        if event.reference != nil { check?.note(plan.lives.map(\.reference)) }
        return check
    }

    private func send(
        _ plan: SimulationPlan, _ trial: SimulationSender, _ place: SimulationDestination,
        _ check: OrderCheck?, _ clock: any Clock
    ) throws(SimulationError) {
        let destination = place.destination
        let tls = try route.tlsClient(for: destination)
        let schedule = route.schedule ? RetrySchedule(trial.sender) : nil
        let reporter = SendReporter(
            plan: plan, trial: trial, place: place, schedule: schedule, isJSON: json,
            expected: trial.isTest ? nil : event.expectation, terminal: display.terminal)
        reporter.begin()
        let run = SimulationRun(
            sender: trial.sender, host: destination.authority, schedule: schedule,
            clock: ScaledClock(clock, speed: route.speed),
            concurrency: route.concurrency ?? plan.scenario.concurrency
        ) { [limits = route.limits] in
            RawClient(destination, tls: tls, limits: limits)
        }
        run.run(plan) { reporter.report($0) }
        let status = reporter.end(check, isAsked: route.admin != nil)
        guard status == 0 else { Self.exit(withError: ExitCode(status)) }
    }
}
