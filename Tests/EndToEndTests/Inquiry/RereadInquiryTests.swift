import Foundation
import TestSupport
import Testing

/// `ipnd journal reread` interprets recorded answers again, like notifications.
@Suite(.ownThreads) struct RereadInquiryTests {
    /// A payment in the platform's test mode, which does not count at a live endpoint.
    private static let answer = ProviderStub.answer(
        #"{"result":{"code":"000.000.100"},"payments":[{"id":"T-1","paymentType":"DB","#
            + #""amount":"42.00","currency":"EUR","merchantTransactionId":"R-1","#
            + #""result":{"code":"000.100.110"}}]}"#)

    private func reread(_ instance: Instance, _ arguments: String...) throws -> Finished {
        try run(
            Binary.ipnd,
            ["journal", "reread", instance.journal, "--config", instance.configurationFile]
                + arguments)
    }

    @Test func `an answer that is read differently is corrected`() throws {
        let provider = try ProviderStub { _ in Self.answer }
        let entities = ["e", "f"].map { String(repeating: $0, count: 32) }.joined(separator: ", ")
        let instance = try Instance(edit: { text in
            text.replacingOccurrences(
                of: "provider: opp\n",
                with: "provider: opp\n    inquiry: {url: \"http://127.0.0.1:\(provider.port)\", "
                    + "token: {file: secrets/citcon-pay}, entityIDs: [\(entities)], schedule: []}\n"
            ).replacingOccurrences(of: "mode: live", with: "mode: test")
        })
        let report = try instance.admin().post("/orders/opp/R-1/inquire", "").object()
        #expect(report["status"] as? String == "paid", "\(report)")
        #expect(instance.stop() == 0)
        let same = try reread(instance)
        #expect(same.output.contains("1 record, 0 interpreted differently, 0 could not"), "\(same)")
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        try text.replacingOccurrences(of: "mode: test", with: "mode: live")
            .write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        let applied = try reread(instance, "--apply")
        #expect(
            applied.status == 0 && applied.output.contains("1 correction appended"), "\(applied)")
        #expect(try reread(instance).output.contains("1 record, 0 interpreted differently"))
        try instance.start()
        let order = try instance.order("opp", "R-1")
        #expect(order?["status"] as? String != "paid")
        #expect(instance.stop() == 0)
        // Without `inquiry` settings it cannot be interpreted again.
        try text.split(separator: "\n").filter { !$0.contains("inquiry:") }
            .joined(separator: "\n")
            .write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        let missing = try reread(instance)
        #expect(missing.status == 1 && missing.output.contains("has no `inquiry` any more"))
    }
}
