import AdminAPI
import ArgumentParser
import Console
import Glibc
import Platform

/// `ipnd status`
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of a server on one screen.",
        discussion: """
            Asks the admin API that --config describes, twice within a second. Exit status 0: \
            notifications are accepted. 1: the server runs, but does not accept them. 69: no \
            server answers.

            Example: ipnd status --config sandbox/ipnd.yaml
            """)

    @OptionGroup var server: ServerOptions
    @Flag(help: "For health checks: print nothing if it accepts notifications.")
    var quiet = false
    @OptionGroup var display: TerminalOptions

    /// Timeout of an answer; a healthy server is faster.
    private static let answerSecondsMax = 5
    private static let betweenMilliseconds = 500

    func run() async throws {
        let admin = try AdminConnection(server, exchangeSeconds: Self.answerSecondsMax)
        let readiness = try admin.text("/readyz")
        let sentence = readiness.body.split(separator: "\n").first.map(String.init) ?? ""
        if !quiet {
            StandardOutput.print(try await page(admin, sentence).text)
        } else if readiness.status != 200 {
            StandardError.print("ipnd: \(admin.place): \(sentence)")
        }
        guard readiness.status == 200 else { throw ExitCode(EXIT_FAILURE) }
    }

    private func page(
        _ admin: AdminConnection, _ readiness: String
    ) async throws -> StatusPage {
        let earlier = try metrics(admin)
        let clock = SystemClock()
        let start = clock.now
        try await clock.sleep(milliseconds: Self.betweenMilliseconds)
        let now = try metrics(admin)
        return StatusPage(
            place: admin.place, readiness: readiness, earlier: earlier, now: now,
            seconds: Double(clock.now.nanoseconds(since: start)) / 1e9,
            clock: clock.coarseWallSeconds, terminal: display.terminal)
    }

    private func metrics(_ admin: AdminConnection) throws -> MetricsReading {
        let answer = try admin.text("/metrics")
        guard answer.status == 200 else {
            StandardError.print("ipnd: \(admin.place) answers \(answer.status) to /metrics")
            throw ExitCode(EX_UNAVAILABLE)
        }
        return MetricsReading(answer.body)
    }
}
