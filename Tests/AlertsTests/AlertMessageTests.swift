import Foundation
import JSON
import Platform
import TestSupport
import Testing

@testable import Alerts

@Suite struct AlertMessageTests {
    private static func message(_ summary: String, _ state: AlertMessage.State = .raised)
        -> AlertMessage
    {
        AlertMessage(
            id: "alert_1", state,
            AlertCause(
                .refusals, "antom signature_mismatch", count: 7, summary: summary, advice: "Look.",
                screen: "rejections?endpoint=antom"),
            since: 1_795_244_000, time: 1_795_244_400, pages: "https://ops.example/ui/")
    }

    @Test func `a webhook has a text for chats and members for programs`() throws {
        let root = try JSONDocument(parsing: Self.message("7 requests").json).root
        #expect(
            root["text"]?.string
                == "7 requests\nLook.\nhttps://ops.example/ui/rejections?endpoint=antom")
        #expect(root["type"]?.string == "alert.raised")
        #expect(root["alert"]?["count"]?.int64 == 7)
        #expect(root["alert"]?["since"]?.string == "2026-11-21T06:53:20Z")
        let ended = try JSONDocument(parsing: Self.message("7 requests", .resolved).json).root
        #expect(ended["text"]?.string?.hasPrefix("Resolved: 7 requests") == true)
    }

    @Test func `a mail is one that mail programs take`() {
        let text = String(
            decoding: Self.message("7 requests").mail(
                from: "ipnd@shop.example", to: ["a@x.example", "b@x.example"]), as: UTF8.self)
        let parts = text.split(separator: "\n\n", maxSplits: 1)
        let head = parts[0].split(separator: "\n")
        #expect(head.contains("To: a@x.example, b@x.example"))
        #expect(head.contains("Subject: [ipnd] 7 requests"))
        #expect(head.contains("Date: Sat, 21 Nov 2026 07:00:00 +0000"))
        #expect(head.contains("Message-ID: <alert_1.raised@shop.example>"))
        #expect(head.allSatisfy { $0.contains(": ") })
        #expect(parts[1].hasPrefix("7 requests.\n\nLook.\n"))
        #expect(!text.contains("\r"))
    }

    /// A name from the configuration may have any characters; none begins a header of its own.
    @Test func `other characters are encoded in the subject`() {
        let long =
            "Jede Zustellung an Möbel\r\nBcc: evil@x.example " + String(repeating: "ü", count: 60)
        let text = String(
            decoding: Self.message(long).mail(from: "a@b", to: ["c@d"]), as: UTF8.self)
        let head = text.split(separator: "\n\n", maxSplits: 1)[0].split(separator: "\n")
        #expect(!head.contains { $0.hasPrefix("Bcc") })
        let words = head.filter { $0.contains("=?utf-8?B?") }
        #expect(words.count > 2)
        for word in words {
            let encoded = word.drop { $0 != "=" }
            #expect(encoded.utf8.count <= 75)
        }
    }

    @Test func `a program that reads a text reports how it ended`() throws {
        let folder = TemporaryFolder()
        let script = folder.file("mail")
        func run(_ body: String, _ input: [UInt8] = Array("hello".utf8), seconds: Int = 60)
            throws -> String?
        {
            try "#!/bin/sh\n\(body)\n".write(toFile: script, atomically: true, encoding: .utf8)
            chmod(script, 0o755)
            return FedProgram(script, ["x"], clock: SystemClock()).run(input, seconds: seconds)
        }
        #expect(try run("cat > \(folder.path)/got; echo \"$1\" >> \(folder.path)/got") == nil)
        #expect(try String(contentsOfFile: folder.file("got"), encoding: .utf8) == "hellox\n")
        #expect(
            try run("cat >/dev/null; echo no relay >&2; exit 75")?.hasSuffix(
                "exit status 75: no relay") == true)
        // It reads nothing of a text that does not fit into a pipe.
        #expect(
            try run("exit 3", [UInt8](repeating: 65, count: 1 << 20))?.hasSuffix("exit status 3")
                == true)
        let big = [UInt8](repeating: 65, count: 1 << 20)
        #expect(try run("test $(wc -c) = 1048576", big) == nil)
        #expect(try run("kill -9 $$")?.hasSuffix("signal 9") == true)
        #expect(try run("exec sleep 600", seconds: 0)?.contains("did not end") == true)
        let missing = FedProgram("/nowhere/mail", [], clock: SystemClock()).run([], seconds: 5)
        #expect(missing == "/nowhere/mail: No such file or directory")
    }
}
