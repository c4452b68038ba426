import Foundation
import TestSupport
import Testing

/// `ipnd inquire` and its route, with the real binary over HTTP.
@Suite(.ownThreads) struct InquireCommandTests {
    /// The sandbox's Citcon Pay endpoint, with inquiries sent to `port`.
    private static func edit(_ text: String, port: UInt16, _ more: String = "") -> String {
        text.replacingOccurrences(
            of: "provider: citcon-pay\n",
            with: "provider: citcon-pay\n    inquiry: {url: \"http://127.0.0.1:\(port)\"\(more)}\n")
    }

    private static func paid(_ reference: String, minor: Int = 4200) -> String {
        ProviderStub.answer(
            #"{"id":"T-1","type":"charge","amount":\#(minor),"currency":"MYR","#
                + #""reference":"\#(reference)","status":"success"}"#)
    }

    private func inquire(
        _ instance: Instance, _ reference: String, _ more: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        let result = try run(
            Binary.ipnd,
            [
                "inquire", reference, "--endpoint", "citcon-pay", "--config",
                instance.configurationFile, "--url", "http://127.0.0.1:\(instance.adminPort)",
            ]
                + more)
        return (result.status, result.output, result.errors)
    }

    @Test func `what nobody told is asked for and survives a restart`() throws {
        let provider = try ProviderStub { _ in Self.paid("R-1") }
        let instance = try Instance(edit: { Self.edit($0, port: provider.port) })
        let asked = try inquire(instance, "R-1")
        #expect(asked.status == 0, "\(asked)")
        #expect(asked.output.contains("answered; 1 fact; 1 new; the answer is not signed"))
        #expect(asked.output.contains("the order is paid"))
        let request = try #require(provider.requests.first)
        #expect(request.hasPrefix("POST /payment/inquire HTTP/1.1\r\n"))
        #expect(request.hasSuffix("\r\n\r\nreference=R-1&inquire_method=real"))
        let secret = try String(
            contentsOfFile: "\(instance.folder)/secrets/citcon-pay", encoding: .utf8
        ).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(request.lowercased().contains("authorization: bearer \(secret.lowercased())"))
        #expect(instance.stop() == 0)
        try instance.start()
        let order = try instance.admin().get("/orders/citcon-pay/R-1").object()
        #expect(order["status"] as? String == "paid")
        // The record contains request and response without credentials.
        let records = try run(Binary.ipnd, ["journal", "cat", instance.journal]).output
        #expect(records.contains(#""kind":"inquiry""#) && records.contains(#""trust":"tls""#))
        #expect(records.contains(#""answer":{"status":200,"#))
        #expect(!records.contains(secret) && !instance.logText.contains(secret))
    }

    @Test func `the route tells every outcome`() throws {
        let answers = Box([
            ProviderStub.answer("{}"), ProviderStub.answer("<html>"),
            ProviderStub.answer("{}", status: "401 Unauthorized"), Self.paid("OTHER"),
            ProviderStub.answer("", status: "302 Found").replacingOccurrences(
                of: "Content-Type", with: "Location: http://127.0.0.1:1/\r\nContent-Type"),
            "SSH-2.0-x\r\n", nil,
        ])
        let provider = try ProviderStub { _ in
            let next = answers.get().first ?? nil
            answers.update { if !$0.isEmpty { $0.removeFirst() } }
            return next
        }
        let instance = try Instance(edit: { Self.edit($0, port: provider.port) })
        let admin = try instance.admin()
        for (number, expected) in [
            "absent", "retry", "denied", "untrusted", "retry", "retry", "retry",
        ].enumerated() {
            let answer = try admin.post("/orders/citcon-pay/N-\(number)/inquire", "")
            #expect(answer.status == 200, "\(answer.body)")
            let report = try answer.object()
            #expect(report["verdict"] as? String == expected, "\(number): \(answer.body)")
            #expect((report["recorded"] as? [Any])?.isEmpty == true && report["status"] == nil)
        }
        // The redirect was not followed, and no inquiry was sent twice.
        #expect(provider.requests.count >= 7)
        #expect(try admin.get("/orders").body.contains("N-") == false)
    }

    @Test func `what cannot be asked says why`() throws {
        let provider = try ProviderStub { _ in ProviderStub.answer("{}") }
        let instance = try Instance(edit: { Self.edit($0, port: provider.port) })
        let admin = try instance.admin()
        #expect(try admin.post("/orders/citcon/R-1/inquire", "").code == "inquiry_not_configured")
        #expect(try admin.post("/orders/nobody/R-1/inquire", "").status == 404)
        #expect(try admin.get("/orders/citcon-pay/R-1/inquire").status == 405)
        #expect(try admin.post("/orders/citcon-pay/R-1/inquire", "").status == 200)
        let again = try admin.post("/orders/citcon-pay/R-1/inquire", "")
        #expect(again.status == 429 && again.code == "inquiry_too_soon")
        #expect(Int(again.fields["retry-after"] ?? "").map((1...5).contains) == true)
        #expect(provider.requests.count == 1)
        // An inquiry that was sent is recorded as an action whatever its result; a rejected one is
        // not.
        #expect(try Self.acts(instance) == 1)
        for path in ["R-1/inquire?patient=x", "R-3/inquire?patience=true"] {
            #expect(try admin.post("/orders/citcon-pay/\(path)", "").status == 400)
        }
        #expect(try Self.acts(instance) == 1)
        // An order unknown to the provider is not an answer about the order.
        let unknown = try inquire(instance, "R-2")
        #expect(unknown.status == 1 && unknown.output.contains("absent; not_known"), "\(unknown)")
    }

    /// Number of records of inquiries.
    private static func acts(_ instance: Instance) throws -> Int {
        try instance.records().count { record in
            let event = record["event"] as? [String: Any]
            return event?["kind"] as? String == "action"
                && event?["status"] as? String == "inquire"
        }
    }

    /// An answer over the limit and one that never ends fail with a reason.
    @Test func `long and slow answers end`() throws {
        let provider = try ProviderStub { request in
            guard request.contains("LONG") else {
                return "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"
            }
            let body = "{\"id\":\"" + String(repeating: "x", count: 3 << 20) + "\"}"
            return ProviderStub.answer(body)
        }
        let instance = try Instance(
            edit: { Self.edit($0, port: provider.port, ", timeoutSeconds: 60") })
        let admin = try instance.admin()
        for (reference, reason) in [("LONG", "answer_too_long"), ("CUT", "reset")] {
            let report = try admin.post("/orders/citcon-pay/\(reference)/inquire", "").object()
            #expect(report["verdict"] as? String == "retry", "\(report)")
            #expect(report["reason"] as? String == reason, "\(report)")
        }
    }
}
