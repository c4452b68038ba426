import Foundation
import TestSupport
import Testing

/// The real program on a failing disk: no acknowledged notification is lost, and none is
/// acknowledged without being stored.
@Suite(.ownThreads) struct DiskFailureTests {
    /// A system call on the first segment that fails for the fifth frame.
    struct Failure: CustomTestStringConvertible, Sendable {
        let call: String
        let injection: String
        var testDescription: String { "\(call) with \(injection)" }
    }

    private static func tiny(_ text: String) -> String {
        text.replacingOccurrences(of: "journal: {directory: journal}", with: Instance.tinySegments)
    }

    @Test(
        .enabled("SKIPPED: this needs root, and strace") { SystemTools.canInject },
        arguments: [
            Failure(call: "fdatasync", injection: "error=EIO"),
            Failure(call: "pwrite64", injection: "error=EIO"),
            Failure(call: "pwrite64", injection: "error=ENOSPC"),
            Failure(call: "pwrite64", injection: "retval=0"),
        ])
    func `a failed write or sync ends the process and acknowledges nothing`(_ failure: Failure)
        throws
    {
        let instance = try Instance(edit: Self.tiny, starts: false)
        instance.wrapper = try #require(
            SystemTools.inject("\(failure.call):\(failure.injection):when=5", into: instance))
        try instance.start()
        let webhook = try SignedWebhook(instance)
        let client = try instance.client()
        var acknowledged: [String] = []
        for number in 1...5 {
            try client.send(webhook.request("FAIL-\(number)"))
            guard let answer = try? client.receive() else { break }
            #expect(answer.status == 200)
            acknowledged.append("FAIL-\(number)")
        }
        #expect(acknowledged == (1...4).map { "FAIL-\($0)" })
        #expect(instance.waitForEnd() != 0)
        #expect(instance.says("journal_fatal"))

        instance.wrapper = []
        try instance.start()
        #expect(Array(try instance.references().prefix(4)) == acknowledged)
        // The provider retries the fifth.
        let again = try instance.client()
        try again.send(webhook.request("FAIL-5"))
        #expect(try again.receive().status == 200)
        #expect(try instance.references() == acknowledged + ["FAIL-5"])
    }

    @Test(
        .enabled("SKIPPED: this needs root, and strace") { SystemTools.canInject },
        arguments: ["pwrite64", "fdatasync"])
    func `an interrupted call is made again`(_ call: String) throws {
        let instance = try Instance(edit: Self.tiny, starts: false)
        instance.wrapper = try #require(
            SystemTools.inject("\(call):error=EINTR:when=1+2", into: instance))
        try instance.start()
        let webhook = try SignedWebhook(instance)
        let client = try instance.client()
        for number in 1...6 {
            try client.send(webhook.request("INTERRUPTED-\(number)"))
            #expect(try client.receive().status == 200)
        }
        #expect(instance.stop() == 0)
        let verified = try run(Binary.ipnd, ["journal", "verify", instance.journal])
        #expect(verified.status == 0)
        #expect(try instance.references() == (1...6).map { "INTERRUPTED-\($0)" })
    }

    @Test(.enabled("SKIPPED: no mounts of our own here") { SystemTools.ownMounts("true") != nil })
    func `a full disk answers 503, queries go on, and intake resumes by itself`() throws {
        let instance = try Instance(edit: Self.tiny, starts: false)
        // Space for two and a half segments; the rest is taken by another file.
        instance.wrapper = try #require(
            SystemTools.ownMounts(
                """
                mkdir -p '\(instance.journal)' \
                && mount -t tmpfs -o size=8m tmpfs '\(instance.journal)' \
                && head -c 3000000 /dev/zero > '\(instance.journal)/filler'
                """))
        try instance.start()
        let webhook = try SignedWebhook(instance)
        let client = try instance.client()
        var stored: [String] = []
        var refusal: HTTPAnswer?
        for number in 1...100 where refusal == nil {
            try client.send(webhook.request("FULL-\(number)", padding: 100_000))
            let answer = try client.receive()
            if answer.status == 200 { stored.append("FULL-\(number)") } else { refusal = answer }
        }
        #expect(refusal?.status == 503)
        #expect(refusal?.fields["retry-after"] != nil)
        #expect(stored.count > 20)

        // Each provider gets its own form of refusal, and reads are still answered.
        let antom = try SandboxProvider("antom", of: instance)
        // Longer than the rest of the segment.
        let long = String(repeating: "x", count: 150_000)
        try client.send(
            try AntomForgery(instance).sign(body: #"{"notifyType":"\#(long)"}"#).request())
        let answer = try client.receive()
        #expect(answer.status == 503)
        #expect(answer.body.contains(#""resultStatus":"U""#))
        #expect(try instance.order("hmac", stored[0]) != nil)
        #expect(try instance.order("hmac", "FULL-\(stored.count + 1)") == nil)

        // In the server's mount namespace.
        try FileManager.default.removeItem(
            atPath: "/proc/\(instance.process.processIdentifier)/root\(instance.journal)/filler")
        let retry = webhook.request("FULL-\(stored.count + 1)", padding: 100_000)
        let resumed = try eventually {
            try client.send(retry)
            return try client.receive().status == 200
        }
        #expect(resumed)
        #expect(try instance.order("hmac", "FULL-\(stored.count + 1)") != nil)
        try client.send(antom.delivery(reference: "AFTER").request())
        #expect(try client.receive().status == 200)
        #expect(instance.stop() == 0)
    }

    @Test(.enabled("SKIPPED: no mounts of our own here") { SystemTools.ownMounts("true") != nil })
    func `a read-only directory at the start is status 72`() throws {
        let instance = try Instance(edit: Self.tiny, starts: false)
        let wrapper = try #require(
            SystemTools.ownMounts(
                """
                mkdir -p '\(instance.journal)' \
                && mount -t tmpfs -o ro tmpfs '\(instance.journal)'
                """))
        let finished = try refusedStart(instance.configurationFile, wrapper: wrapper)
        #expect(finished.status == 72)
        #expect(finished.errors.contains(instance.journal))
        #expect(finished.errors.contains("Read-only"))
    }

    @Test func `a directory that vanishes ends the process`() throws {
        let instance = try Instance(edit: Self.tiny)
        let webhook = try SignedWebhook(instance)
        let client = try instance.client()
        try client.send(webhook.request("BEFORE"))
        #expect(try client.receive().status == 200)
        try FileManager.default.removeItem(atPath: instance.journal)
        try client.send(webhook.request("AFTER"))
        #expect(throws: Client.ConnectionClosed.self) { try client.receive() }
        #expect(instance.waitForEnd() == 72)
        #expect(instance.says("journal_displaced"))
    }
}
