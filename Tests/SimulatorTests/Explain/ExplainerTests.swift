import Bytes
import Cryptography
import JSON
import Payments
import Platform
import Providers
import ServerConfiguration
import TestSupport
import Testing

@testable import Explain
@testable import Simulator

@Suite struct ExplainerTests {
    @Test(arguments: ExplainCase.all)
    func `each hypothesis finds its case`(_ example: ExplainCase) throws {
        let explanation = Explainer.explain(try example.suspect())
        #expect(explanation.refusal != nil, "the case spoils nothing")
        let codes = explanation.findings.map(\.code)
        #expect(codes.contains(example.code), "\(codes)")
    }

    /// A path of slashes alone, chosen by an unauthenticated client.
    @Test func `a long path costs no more than its budget`() throws {
        let example = ExplainCase("", "antom", "a path of slashes") { scene in
            scene.request.target = Array(String(repeating: "/a", count: 4000).utf8)[...]
            scene.settings.keys = []
        }
        let explanation = Explainer.explain(try example.suspect())
        #expect(explanation.variationsTried < 2000)
    }

    @Test func `an explanation beyond its budget stops and says so`() throws {
        let example = ExplainCase("", "antom", "nothing verifies") { scene in
            _ = try scene.configureStrangeKey()
        }
        let suspect = try example.suspect()
        func explain(_ budget: ExplanationBudget, _ clock: TestSupport.ManualClock)
            -> Explanation
        {
            Explainer.explain(suspect, budget: budget, clock: clock)
        }
        let clock = TestSupport.ManualClock()
        let whole = explain(.command, clock)
        #expect(!whole.notes.contains { $0.hasPrefix("not everything was tried") })
        let few = explain(ExplanationBudget(seconds: 60, bytes: 4000), clock)
        #expect(few.variationsTried < whole.variationsTried)
        #expect(few.notes.contains { $0.hasPrefix("not everything was tried") })
        let late = explain(ExplanationBudget(seconds: 0, bytes: 1 << 30), clock)
        #expect(late.variationsTried == 0)
        #expect(late.notes.contains { $0.hasPrefix("not everything was tried") })
    }

    /// A key in three places is one cause, and so is a path that a proxy strips or that
    /// `publicPath` lacks.
    @Test func `one cause is reported once`() throws {
        let keys = ExplainCase("other_key", "antom", "one key in many places") { scene in
            scene.others = [try Sandbox.endpoint("antom")]
            let key = try scene.configureStrangeKey()
            let bare = key.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
            scene.candidates = [
                .init(name: "--key new.pem", bytes: Array(key.utf8)),
                .init(name: "sandbox/a.pem", bytes: Array(bare.utf8), isSandbox: true),
                .init(name: "keys/a.pem", bytes: Array(key.utf8)),
            ]
        }
        #expect(Explainer.explain(try keys.suspect()).findings.map(\.code) == ["given_key"])
        let path = ExplainCase("path_received", "antom", "one path in two ways") { scene in
            scene.publicPath = "/antom"
            scene.givenPaths = ["/ipn/antom"]
        }
        #expect(Explainer.explain(try path.suspect()).findings.map(\.code) == ["given_path"])
    }

    /// A secret of two endpoints without signed paths: a wrong path is not shown by the signature.
    @Test func `the smallest change comes first`() throws {
        let example = ExplainCase("other_endpoint_key", "ecommpay", "two causes") { scene in
            scene.others = [try Sandbox.endpoint("ecommpay")]
            scene.settings.secrets = [Array("something else".utf8)]
            scene.settings["projectID"] = "116"
        }
        let explanation = Explainer.explain(try example.suspect())
        #expect(explanation.findings.map(\.code) == ["other_endpoint_key"])
    }

    /// A finding with fewer changes replaces an earlier one that includes them. Unrelated findings
    /// stay, the smallest change first.
    @Test func `a smaller change replaces a larger one`() throws {
        let path = Array("/ipn/antom".utf8)
        let signed = ExplainCase("", "antom", "signed for the path that came in") { scene in
            scene.publicPath = "/antom"
        }
        let trial = try Sandbox.trial("antom")
        let plan = try SimulationPlan(.single(.paid), of: [.sample()], by: trial, path: "/antom")
        let other = try #require(plan.stages.first?.first).outbound
        func hypothesis(
            _ code: String, _ vary: @escaping @Sendable (Suspect) -> Variation
        ) -> Hypothesis {
            Hypothesis(code, "", remedy: "") { suspect in [vary(suspect)] }
        }
        let much = hypothesis("much") { suspect in
            var variation = suspect.withPath("", path)
            variation.delivery.headers.append(Header("x-more", "1"))
            let keys = variation.settings.keys
            variation.settings.keys += keys.map { VersionedKey(version: 99, text: $0.text) }
            return variation
        }
        let little = hypothesis("little") { $0.withPath("", path) }
        let foreign = hypothesis("foreign") { suspect in
            var variation = suspect.withBody("", other.body)
            variation.delivery.headers = other.headers.map {
                Header(name: $0.name, value: $0.value)
            }
            return variation
        }
        func codes(_ hypotheses: [Hypothesis]) throws -> [String] {
            Explainer.explain(try signed.suspect(), hypotheses: hypotheses).findings.map(\.code)
        }
        #expect(try codes([much, little]) == ["little"])
        #expect(try codes([little, much]) == ["little"])
        #expect(try codes([much, foreign]) == ["foreign", "much"])
        #expect(try codes([foreign, much, little]) == ["little", "foreign"])
    }

    @Test func `every hypothesis has a case`() {
        let untried = Set(Hypothesis.all.map(\.code)).subtracting(ExplainCase.all.map(\.code))
        // Both have their own tests below.
        #expect(untried == ["other_endpoint", "query"])
    }

    @Test func `a notification of another provider is recognised`() throws {
        let trial = try Sandbox.trial("citcon-upi")
        let plan = try SimulationPlan(
            .single(.paid), of: [.sample()], by: trial, path: "/ipn/antom")
        let outbound = try #require(plan.stages.first?.first).outbound
        let antom = try Sandbox.trial("antom")
        let suspect = Suspect(
            request: CapturedRequest(
                method: "POST", target: Array("/ipn/antom".utf8)[...],
                headers: outbound.headers.map { .init(name: $0.name, value: $0.value) },
                body: outbound.body),
            system: antom.descriptor, settings: antom.endpoint.settings, publicPath: "/ipn/antom",
            received: Sandbox.time,
            others: Sandbox.configuration.endpoints.filter { $0.system != "antom" })
        let explanation = Explainer.explain(suspect)
        #expect(explanation.findings.map(\.code) == ["other_endpoint"])
        #expect(explanation.findings.first?.detail == "endpoint \(trial.endpoint.name), citcon-upi")
    }

    /// Antom signs the query, too; a proxy has dropped a part of the encoding.
    @Test func `a rewritten query is found`() throws {
        let trial = try Sandbox.trial("antom")
        let pem = try String(
            decoding: FileContents.replayed("\(Sandbox.configuration.folder)/sandbox/antom.pem"),
            as: UTF8.self)
        let time = "2026-11-21T07:00:00Z"
        let content = "POST /ipn/antom?a=b%20c\nSANDBOX_1.\(time).{}"
        let signature = Base64.encode(try RSAPrivateKey(pem: pem).signSHA256(Array(content.utf8)))
        let value = PercentEncoding.encode(Array(signature.utf8))
        let raw =
            "POST /ipn/antom?a=b+c HTTP/1.1\r\nclient-id: SANDBOX_1\r\nrequest-time: \(time)\r\n"
            + "signature: algorithm=RSA256,keyVersion=1,signature=\(value)\r\n\r\n{}"
        let suspect = Suspect(
            request: try #require(CapturedRequest(raw: Array(raw.utf8))), system: trial.descriptor,
            settings: trial.endpoint.settings, publicPath: "/ipn/antom",
            received: Sandbox.time)
        #expect(Explainer.explain(suspect).findings.map(\.code) == ["query"])
    }

    /// An entry of the rejection log is explained hours later.
    @Test func `a signed time is checked against the time of receipt`() throws {
        let example = try #require(
            ExplainCase.all.first { $0.code == "time" && $0.system == "standard-webhooks" })
        let old = try example.suspect()
        for seconds: Int64 in [1_000_000_000, 1_000_001_000] {
            var request = old.request
            request.received = try #require(Timestamp(epochSeconds: seconds))
            let suspect = Suspect(
                request: request, system: old.system, settings: old.settings,
                publicPath: old.publicPath)
            let isInTime = seconds == 1_000_000_000
            #expect((Explainer.explain(suspect).refusal == nil) == isInTime)
        }
    }

    /// `publicPath` alone, the usual remedy for a signature, does not make the request arrive.
    @Test func `an unknown path is reported with a remedy that works`() throws {
        let trial = try Sandbox.trial("antom")
        let plan = try SimulationPlan(.single(.paid), of: [.sample()], by: trial, path: "/pay/a")
        let outbound = try #require(plan.stages.first?.first).outbound
        let suspect = Suspect(
            request: CapturedRequest(
                method: "POST", target: Array("/pay/a".utf8)[...],
                headers: outbound.headers.map { .init(name: $0.name, value: $0.value) },
                body: outbound.body),
            system: trial.descriptor, settings: trial.endpoint.settings, publicPath: "/ipn/antom",
            unknownPath: UnknownPath(
                path: "/pay/a", nearest: "antom", nearestPath: "/ipn/antom"),
            received: Sandbox.time)
        let explanation = Explainer.explain(suspect)
        #expect(explanation.unknownPath == suspect.unknownPath)
        let finding = try #require(explanation.findings.first { $0.code == "path_received" })
        #expect(finding.remedy.contains("pass it on as /ipn/antom and set `publicPath`"))
        let root = try JSONDocument(parsing: explanation.json).root
        #expect(root["unknownPath"]?["path"]?.string == "/pay/a")
        #expect(root["unknownPath"]?["nearest"]?.string == "antom")
    }

    @Test func `a request that verifies has no findings`() throws {
        let example = ExplainCase("none", "antom", "nothing") { _ in }
        let explanation = Explainer.explain(try example.suspect())
        #expect(explanation.refusal == nil)
        #expect(explanation.isExplained)
        #expect(explanation.variationsTried == 0)
    }

    @Test(arguments: Sandbox.systems)
    func `a forgery has no cause`(_ system: String) throws {
        let trial = try Sandbox.trial(system)
        // Xendit's body is not signed, so that a changed one verifies.
        for name in ["bad-signature", "wrong-key"] where system != "xendit" || name == "wrong-key" {
            let plan = try SimulationPlan(
                try #require(Scenario.named(name)), of: [.sample()], by: trial,
                path: trial.endpoint.publicPath)
            let outbound = try #require(plan.stages.first?.first).outbound
            let suspect = Suspect(
                request: CapturedRequest(
                    method: "POST", target: Array(outbound.target.utf8)[...],
                    headers: outbound.headers.map { .init(name: $0.name, value: $0.value) },
                    body: outbound.body),
                system: trial.descriptor, settings: trial.endpoint.settings,
                publicPath: trial.endpoint.publicPath, received: Sandbox.time,
                others: Sandbox.configuration.endpoints.filter { $0.system != system },
                candidates: Suspect.Candidate.beside(
                    folder: Sandbox.configuration.folder, for: trial.descriptor))
            let explanation = Explainer.explain(suspect)
            #expect(!explanation.isExplained, "\(explanation.findings)")
            #expect(explanation.variationsTried > 0)
        }
    }

    /// The server answers 405 even if the signature is valid.
    @Test func `another method than POST is reported`() throws {
        let example = ExplainCase("method", "hmac", "led on as GET") { $0.request.method = "GET" }
        let explanation = Explainer.explain(try example.suspect())
        #expect(explanation.refusal == nil && explanation.wrongMethod == "GET")
        #expect(String(decoding: explanation.json, as: UTF8.self).contains(#""wrongMethod":"GET""#))
    }

    /// A missing or malformed signature is not caused by the key.
    @Test(
        arguments: [
            ("signature", "A proxy removed it"), ("body", "It was cut off"),
            ("forged", "The secret is another one"),
        ])
    func `a missing or malformed signature is distinguished`(_ kind: String, _ words: String) throws
    {
        let example = ExplainCase("none", kind == "body" ? "ecommpay" : "hmac", kind) { scene in
            switch kind {
            case "signature":
                scene.request.headers.removeAll {
                    String(decoding: $0.name, as: UTF8.self).lowercased() == "x-signature"
                }
            case "body": scene.request.body = Array("{".utf8)
            default: scene.request.body += Array(" ".utf8) + scene.request.body
            }
        }
        let explanation = Explainer.explain(try example.suspect())
        #expect(!explanation.isExplained, "\(explanation.findings)")
        #expect(explanation.likely.first?.contains(words) == true)
    }

    @Test(arguments: ExplainCase.all)
    func `explanations contain no secret`(_ example: ExplainCase) throws {
        let suspect = try example.suspect()
        let explanation = Explainer.explain(suspect)
        let text = String(decoding: explanation.json, as: UTF8.self)
        for secret in suspect.settings.secrets + suspect.candidates.map(\.bytes) {
            #expect(!text.contains(String(decoding: secret.trimming { $0 <= 0x20 }, as: UTF8.self)))
        }
    }

    @Test func `what can be seen is noted`() throws {
        let example = ExplainCase("none", "antom", "notes") { scene in
            let value = try scene.header("signature")
            scene.setHeader("signature", value.replacing("keyVersion=1", with: "keyVersion=2"))
            scene.addHeader("Content-Length", "1")
            scene.addHeader("Content-Encoding", "gzip")
        }
        #expect(Explainer.explain(try example.suspect()).notes.count == 3)
    }
}
