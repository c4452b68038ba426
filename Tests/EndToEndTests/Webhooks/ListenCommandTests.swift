import Foundation
import TestSupport
import Testing

/// `ipnd listen` sending to `ipnd receive`.
@Suite(.ownThreads) struct ListenCommandTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test func `events arrive signed also after a restart`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("secret", "\(Self.secret)\n")
        let instance = try Instance.onAdminSocket(in: folder)
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "BEFORE").request())
        let receiver = try Receiving(["--secret-file", file])
        let listener = try Listening(instance, to: receiver.url, ["--secret-file", file])
        try listener.awaitStart()
        #expect(!listener.output.contains("whsec_"), "\(listener.output)")
        try instance.deliver(antom.delivery(.pending, reference: "L-1", number: 2).request())
        try instance.deliver(antom.delivery(.paid, reference: "L-1", number: 3).request())
        #expect(eventually { receiver.lines.count == 2 }, "\(receiver.output)")
        for signal in [SIGTERM, SIGKILL] {
            instance.stop(signal)
            try instance.start()
            let number = signal == SIGTERM ? 4 : 5
            try instance.deliver(
                antom.delivery(.paid, reference: "L-\(number)", number: number).request())
            #expect(eventually { receiver.output.contains("L-\(number)") }, "\(listener.output)")
        }
        let told = receiver.lines.map {
            $0.split(separator: " ").dropFirst().joined(separator: " ")
        }
        #expect(
            told == [
                "order.pending antom L-1 verified -> 200", "order.paid antom L-1 verified -> 200",
                "order.paid antom L-4 verified -> 200", "order.paid antom L-5 verified -> 200",
            ])
        #expect(eventually { listener.output.contains("5 order.paid antom L-5 -> 200 in ") })
    }

    @Test func `the new secret is printed and another is refused`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "N-1").request())
        let receiver = try Receiving(["--secret", Self.secret, "--json"])
        let listened = try run(
            Binary.ipnd,
            [
                "listen", "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)", "--forward", receiver.url, "--after",
                "0", "--limit", "1",
            ])
        #expect(listened.status == 0, "\(listened.errors)")
        #expect(listened.lines.first?.hasPrefix("signing secret: whsec_") == true)
        #expect(listened.lines.last?.contains("-> 401") == true, "\(listened.output)")
        #expect(eventually { receiver.output.contains("refused: signature_mismatch") })
    }

    @Test func `only what was asked for is sent and the request is left out`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.pending, reference: "O-1").request())
        try instance.deliver(antom.delivery(.paid, reference: "O-2", number: 2).request())
        let target = try EchoTarget()
        let listened = try run(
            Binary.ipnd,
            [
                "listen", "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)", "--forward",
                "http://\(target.address)/", "--after", "0", "--limit", "1", "--status",
                "paid,refunded", "--endpoint", "antom", "--json",
            ])
        #expect(listened.status == 0, "\(listened.errors)")
        let line = try #require(listened.lines.last)
        let told = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(told?["reference"] as? String == "O-2" && told?["sequence"] as? Int == 2)
        #expect(told?["outcome"] as? String == "delivered" && listened.lines.count == 1)
        let id = try #require(told?["id"] as? String)
        #expect(id.wholeMatch(of: /[0-9a-f]{32}-2/) != nil, "\(id)")
    }

    @Test func `a receiver fails as it is told`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "F-1").request())
        let receiver = try Receiving([
            "--secret", Self.secret, "--status", "503", "--retry-after", "7", "--json",
        ])
        let folder = TemporaryFolder()
        let file = try folder.write("secret", Self.secret)
        for _ in 0..<2 {
            let listened = try run(
                Binary.ipnd,
                [
                    "listen", "--config", instance.configurationFile, "--url",
                    "http://127.0.0.1:\(instance.adminPort)", "--forward", receiver.url,
                    "--after", "0", "--limit", "1", "--secret-file", file, "--json",
                ])
            #expect(listened.output.contains(#""outcome":"status_503""#), "\(listened.errors)")
        }
        #expect(eventually { receiver.lines.count == 2 })
        #expect(receiver.lines[0].contains(#""verdict":"verified","sequence":1,"status":503"#))
        #expect(receiver.lines[1].contains(#""verdict":"verified again""#))
    }

    @Test func `where nobody listens the reason is shown`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "R-1").request())
        let port = try FreePort.take()
        let listened = try run(
            Binary.ipnd,
            [
                "listen", "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)", "--forward",
                "http://127.0.0.1:\(port)/", "--after", "0", "--limit", "1",
            ], environment: ["http_proxy": "http://127.0.0.1:1"])
        let last = try #require(listened.lines.last)
        #expect(last.contains(#/no answer in \d+ ms \(connect_refused: /#), "\(last)")
    }

    @Test(
        arguments: [
            (["receive"], 64), (["receive", "--secret", "whsec_!"], 64),
            (["receive", "--secret", secret, "--fail-rate", "2"], 64),
            (["receive", "--secret", secret, "--status", "99"], 64),
            (["receive", "--secret-file", "/nonexistent/secret"], 66),
            (["listen"], 64), (["listen", "--forward", "ftp://x/"], 64),
            (["listen", "--forward", "http://u:p@localhost/"], 64),
            (["listen", "--forward", "http://localhost/", "--config", "/nonexistent"], 78),
        ] as [([String], Int32)])
    func `mistakes have their status`(_ arguments: [String], _ status: Int32) throws {
        let tried = try run(Binary.ipnd, arguments)
        #expect(tried.status == status, "\(tried.errors)")
        #expect(!tried.errors.isEmpty)
    }
}
