import Foundation
import TestSupport
import Testing

/// Alerts by a webhook and by a mail program, on the real binary.
@Suite(.ownThreads) struct AlertsTests {
    private static func instance(_ webhook: UInt16, sending: String? = nil) throws -> Instance {
        let instance = try Instance(
            edit: { text in
                text + """

                    alerts:
                      webhook: {url: "http://127.0.0.1:\(webhook)/hook"}
                      sendmail: {to: [ops@shop.example], from: ipnd@shop.example, command: mail.sh}
                      pages: https://ops.shop.example/ui/
                      checkSeconds: 1
                      refusalsMin: 2

                    """
            }, starts: false)
        let script = "\(instance.folder)/mail.sh"
        try "#!/bin/sh\necho \"$@\" >> \(instance.folder)/mails\ncat >> \(instance.folder)/mails\n"
            .write(toFile: script, atomically: true, encoding: .utf8)
        chmod(script, 0o755)
        return instance
    }

    private static func mails(_ instance: Instance) -> String {
        (try? String(contentsOfFile: "\(instance.folder)/mails", encoding: .utf8)) ?? ""
    }

    /// Sends two requests with a wrong signature.
    private static func refuse(_ instance: Instance) throws {
        let antom = try SandboxProvider("antom", of: instance)
        for number in 0..<2 {
            let request = try antom.delivery(reference: "A-\(number)").request()
            let tampered = String(decoding: request, as: UTF8.self)
                .replacing("\"A-\(number)\"", with: "\"B-\(number)\"")
            let client = try instance.client()
            try client.send(tampered)
            #expect(try client.receive().status >= 400)
        }
    }

    @Test func `a cause is one message by each way and not again after a restart`() throws {
        let server = try LocalServer(answering: LocalServer.answer())
        let instance = try Self.instance(server.port)
        try instance.start()
        try Self.refuse(instance)
        #expect(eventually { server.requests.contains { $0.contains("alert.raised") } })
        #expect(eventually { Self.mails(instance).contains("Auto-Submitted") })
        let message = try #require(server.requests.first)
        for part in ["antom", "signature_mismatch", "webhook-id: alert_"] {
            #expect(message.contains(part), "\(part)")
        }
        #expect(message.contains("https://ops.shop.example/ui/rejections?endpoint=antom"))
        let mail = Self.mails(instance)
        #expect(mail.hasPrefix("-i -f ipnd@shop.example -- ops@shop.example\nFrom: ipnd"))
        #expect(mail.contains("Subject: [ipnd] 2 requests at antom were refused"))
        let listed = try run(
            Binary.ipnd, ["alerts", "--config", instance.configurationFile])
        #expect(listed.status == 0 && listed.output.contains("refusals"))
        instance.stop()
        let before = server.requests.count
        // The counters begin at 0 again, so the cause ends; it is not reported a second time.
        try instance.start()
        #expect(eventually { server.requests.count > before })
        #expect(server.requests.dropFirst(before).allSatisfy { $0.contains("alert.resolved") })
    }

    @Test func `a message that cannot be sent is sent later`() throws {
        let closed = try LocalServer(listens: false) { _ in }
        let instance = try Self.instance(closed.port)
        try instance.start()
        try Self.refuse(instance)
        #expect(instance.says("an alert could not be sent by webhook"))
        // The other way works.
        #expect(eventually { Self.mails(instance).contains("Subject") })
        instance.stop()
        let listed = try run(
            Binary.ipnd, ["alerts", "--config", instance.configurationFile])
        #expect(listed.output.contains("not sent yet"))
    }

    @Test func `a test tries each way`() throws {
        let server = try LocalServer(answering: LocalServer.answer())
        let instance = try Self.instance(server.port)
        let tried = try run(
            Binary.ipnd, ["alerts", "test", "--config", instance.configurationFile])
        #expect(tried.status == 0, "\(tried.errors)")
        #expect(tried.lines.suffix(2) == ["webhook: sent", "sendmail: sent"])
        #expect(server.requests.first?.contains("alert.test") == true)
        #expect(Self.mails(instance).contains("Subject: [ipnd] Test:"))
        try FileManager.default.removeItem(atPath: "\(instance.folder)/mail.sh")
        let failed = try run(
            Binary.ipnd, ["alerts", "test", "--config", instance.configurationFile])
        #expect(failed.status == 1 && failed.output.contains("No such file"))
        let plain = try Instance(starts: false)
        let none = try run(Binary.ipnd, ["alerts", "--config", plain.configurationFile])
        #expect(none.status == 78 && none.errors.contains("no `alerts:`"))
    }
}
