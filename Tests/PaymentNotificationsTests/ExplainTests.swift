import Explain
import PaymentNotifications
import Testing

/// The second library, by its public declarations alone.
@Suite struct ExplainTests {
    private static func settings(_ sample: AntomSample) -> [String: SettingValue] {
        ["clientID": "\(sample.clientID)", "keys": ["\(sample.publicKey)"]]
    }

    @Test func `a genuine request needs no explanation`() throws {
        let sample = try AntomSample()
        let explanation = try Explainer.explain(
            sample.request, provider: "antom", settings: Self.settings(sample))
        #expect(explanation.isExplained && explanation.refusal == nil)
    }

    @Test func `another account is the cause`() throws {
        let sample = try AntomSample()
        var settings = Self.settings(sample)
        settings["clientID"] = "LIVE_1"
        let explanation = try Explainer.explain(
            sample.request, provider: "antom", settings: settings)
        #expect(explanation.refusal?.reason == "client_id_mismatch")
        let cause = try #require(explanation.findings.first)
        #expect(cause.code == "client_id" && !cause.sentence.isEmpty && !cause.remedy.isEmpty)
    }

    @Test func `another key and another path are causes`() throws {
        let sample = try RecipeSample()
        let key = try Explainer.explain(
            sample.request, provider: "stripe", settings: ["secrets": ["wrong"]],
            otherKeys: ["old": sample.secret])
        #expect(key.findings.map(\.code) == ["other_key"])
        let antom = try AntomSample()
        let path = try Explainer.explain(
            antom.request, provider: "antom", settings: Self.settings(antom),
            publicPath: "/elsewhere")
        #expect(path.findings.map(\.code) == ["path_received"])
    }

    @Test func `a forgery has likely causes and no finding`() throws {
        let sample = try AntomSample(body: #"{"a":1}"#)
        let explanation = try Explainer.explain(
            sample.request, provider: "antom", settings: Self.settings(sample))
        #expect(!explanation.isExplained && !explanation.likely.isEmpty)
        let stopped = try Explainer.explain(
            sample.request, provider: "antom", settings: Self.settings(sample),
            isTimeUp: { true })
        #expect(stopped.notes.contains { $0.hasPrefix("not everything was tried") })
    }

    @Test func `unusable settings are an error`() {
        #expect(throws: SettingsError.self) {
            try Explainer.explain(AntomSample().request, provider: "antom", settings: ["x": "y"])
        }
    }
}
