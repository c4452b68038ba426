import TestSupport
import Testing
import WebClient

@testable import ServerConfiguration

/// The value of `telemetry` begins in line 4, column 13.
private func telemetry(_ settings: String) -> String {
    """
    listeners: [{address: 127.0.0.1:1}]
    journal: {directory: journal}
    endpoints: [{name: citcon, path: /a, provider: citcon-upi, secrets: [{file: secrets/citcon}]}]
    telemetry: \(settings)

    """
}

@Suite struct TelemetryConfigurationTests {
    @Test func `what is left out has its default`() throws {
        let folder = try TemporaryFolder.filled()
        let configuration = try folder.load(
            telemetry("{url: \"http://127.0.0.1:4318/\"}")
        ).get()
        let found = try #require(configuration.telemetry)
        #expect(found.sendsTraces && found.sendsMetrics && found.tracesPercent == 100)
        #expect(found.spansMax == 8192 && found.batchMax == 512 && found.serviceName == "ipnd")
        #expect(found.tracesSeconds == 5 && found.metricsSeconds == 30)
        #expect(configuration.warnings.isEmpty, "\(configuration.warnings)")
        #expect(configuration.describe().contains("telemetry      http://127.0.0.1:4318/ as ipnd"))
        let without = try folder.load(
            telemetry("{url: \"http://127.0.0.1:1\", signals: [metrics]}")
        ).get()
        #expect(without.telemetry?.sendsTraces == false && without.telemetry?.sendsMetrics == true)
    }

    @Test(arguments: [
        ("{}", "url"), ("{url: \"http://127.0.0.1:1/?a=b\"}", "has a query"),
        ("{url: \"http://127.0.0.1:1/v1/traces\"}", "is the address of one signal"),
        ("{url: \"http://127.0.0.1:1\", signals: [logs]}", "“logs” is not known"),
        ("{url: \"http://127.0.0.1:1\", tracesPercent: 101}", "out of range"),
        ("{url: \"http://127.0.0.1:1\", spansMax: 10}", "a batch of 512 spans is more"),
        ("{url: \"http://127.0.0.1:1\", headers: {content-type: x}}", "is set by ipnd"),
        ("{url: \"http://127.0.0.1:1\", share: 1}", "share"),
    ])
    func `a mistake is named`(_ settings: String, _ part: String) throws {
        let folder = try TemporaryFolder.filled()
        guard case .failure(let error) = try folder.load(telemetry(settings)) else {
            Issue.record("no mistake was found")
            return
        }
        #expect("\(error)".contains(part), "\(error)")
        #expect(error.mistakes.allSatisfy { $0.line == 4 })
    }
}
