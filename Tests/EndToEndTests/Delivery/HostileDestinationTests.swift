import Foundation
import TestSupport
import Testing

/// Misbehaving destinations next to a healthy one: each attempt fails with its reason and delays no
/// other destination.
@Suite(.ownThreads) struct HostileDestinationTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private let folder = TemporaryFolder()

    /// A server's behaviour after the request, and the expected reason of the attempt.
    private struct Way: Sendable {
        let name: String
        let reason: String
        let play: @Sendable (Peer) -> Void

        /// Writes some bytes, then others as long as the client reads.
        static func writing(
            _ name: String, _ reason: String, _ head: String, then more: String = ""
        ) -> Way {
            Way(name: name, reason: reason) { peer in
                peer.write(head)
                while !more.isEmpty, peer.write(more) {}
            }
        }
    }

    private static let ways = [
        Way.writing("cut", "reset", "HTTP/1.1 200 X\r\nContent-Length: 10\r\n\r\nhalf"),
        Way(name: "reset", reason: "reset") { $0.reset() },
        Way.writing("gone", "reset", ""),
        Way.writing("foreign", "answer_malformed", "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        Way.writing("head", "answer_too_long", "HTTP/1.1 200 X\r\n", then: "X: y\r\n"),
        Way.writing(
            "line", "answer_too_long", "HTTP/1.1 200 X\r\nX: ",
            then: String(repeating: "y", count: 4096)),
        Way.writing(
            "phrase", "answer_too_long", "HTTP/1.1 200 ",
            then: String(repeating: "y", count: 4096)),
        Way(name: "announced", reason: "answer_too_long") { peer in
            peer.write("HTTP/1.1 200 X\r\nContent-Length: 1073741824\r\n\r\n")
            peer.awaitEnd()
        },
        Way.writing(
            "endless", "answer_too_long",
            "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n",
            then: "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"),
        Way(name: "drip", reason: "timeout") { peer in
            peer.write("HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n")
            while peer.write("x") { poll(nil, 0, 20) }
        },
        Way(name: "silent", reason: "timeout") { $0.awaitEnd() },
    ]

    @Test func `each failure has its reason and the others go on`() throws {
        let servers = try Self.ways.map { way in
            try LocalServer { peer in
                while peer.readRequest() != nil { return way.play(peer) }
            }
        }
        let untrusted = try TestCertificate()
        let strange = try EchoTarget([
            "--certificate", untrusted.certificate, "--key", untrusted.key,
        ])
        let well = try HookReceiver(["--secret-file", try secretFile()])
        var urls = zip(Self.ways, servers).map { ($0.name, "http://127.0.0.1:\($1.port)/") }
        urls.append(("untrusted", "https://localhost:\(strange.port)/"))
        urls.append(("away", "http://127.0.0.1:\(try FreePort.take())/"))
        urls.append(("well", "http://127.0.0.1:\(well.port)/"))
        let instance = try start(urls, running: ["drip", "silent"])
        let antom = try SandboxProvider("antom", of: instance)
        for number in 1...3 {
            try instance.deliver(
                antom.delivery(.paid, reference: "H-\(number)", number: number).request())
        }
        #expect(eventually { well.output.contains("H-3") })
        let expected =
            Self.ways.map { ($0.name, $0.reason) } + [
                ("untrusted", "tls_unverified"), ("away", "connect_refused"),
            ]
        for (name, reason) in expected {
            // A machine that stands still for the whole second does not see the connection before
            // the end: then that is the reason, as WebClientTests check.
            let reasons = reason == "timeout" ? [reason, "connect_timeout"] : [reason]
            let samples = reasons.map { #"{destination="\#(name)",outcome="\#($0)"} "# }
            #expect(
                eventually {
                    Self.attempts(instance).reduce(0) { sum, line in
                        let isOne = samples.contains { line.contains($0) }
                        return sum + (isOne ? Int(line.split(separator: " ").last ?? "") ?? 0 : 0)
                    } == 3
                }, "\(name): \(Self.attempts(instance).filter { $0.contains("\"\(name)\"") })")
        }
        let list = try run(
            Binary.ipnd,
            [
                "deliveries", "list", "--reference", "H-2", "--config", instance.configurationFile,
                "--url", "http://127.0.0.1:\(instance.adminPort)",
            ])
        for (name, reason) in expected {
            #expect(list.lines.contains { $0.contains(name) && $0.contains(reason) }, "\(list)")
        }
        #expect(instance.stop() == 0)
    }

    /// A name whose servers never answer: the program's resolver is replaced by one that hangs.
    @Test(.enabled(if: installedProgram("cc") != nil, "there is no C compiler"))
    func `a name that is never resolved delays nobody`() throws {
        let well = try HookReceiver(["--secret-file", try secretFile()])
        let instance = try start(
            [
                ("hanging", "http://hanging.invalid/"), ("well", "http://localhost:\(well.port)/"),
            ], running: ["hanging"], starts: false)
        // Keeps the variable of a sanitized run.
        let given = ProcessInfo.processInfo.environment
        let earlier = { (name: String) in given[name].map { "\($0):" } ?? "" }
        instance.environment = [
            "LD_PRELOAD": earlier("LD_PRELOAD") + (try hangingResolver()),
            "ASAN_OPTIONS": earlier("ASAN_OPTIONS") + "verify_asan_link_order=0",
        ]
        try instance.start()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "N-1").request())
        let sample = #"{destination="hanging",outcome="connect_timeout"} 1"#
        #expect(
            try eventually { try instance.admin().get("/metrics").body.contains(sample) },
            "\(Self.attempts(instance))")
        for number in 2...9 {
            try instance.deliver(
                antom.delivery(.paid, reference: "N-\(number)", number: number).request())
        }
        #expect(
            eventually { (1...9).allSatisfy { well.output.contains("\"N-\($0)\"") } },
            "\(well.output)")
        #expect(instance.stop() == 0)
    }

    /// A library that replaces getaddrinfo(3) for one name.
    private func hangingResolver() throws -> String {
        let source = try folder.write(
            "hanging.c",
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <netdb.h>
            #include <string.h>
            #include <unistd.h>
            int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                            struct addrinfo **found) {
                while (name && strcmp(name, "hanging.invalid") == 0) pause();
                int (*next)(const char *, const char *, const struct addrinfo *,
                            struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
                return next(name, service, hints, found);
            }

            """)
        let library = folder.file("hanging.so")
        let made = try run("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"])
        try #require(made.status == 0, "\(made.errors)")
        return library
    }

    // MARK: What they share

    private func secretFile() throws -> String { try folder.write("secret", Self.secret + "\n") }

    /// Creates an instance with these destinations, whose failed events wait for an hour on
    /// average.
    ///
    /// - Parameter late: Destinations that time out. The others have ten minutes, also to connect,
    ///   so that a busy machine reaches no limit that is not tested.
    private func start(
        _ urls: [(name: String, url: String)], running late: Set<String>, starts: Bool = true
    ) throws -> Instance {
        let file = try secretFile()
        return try Instance(
            edit: { text in
                text + "\ndelivery: {answerBytesMax: 100000, connectSecondsMax: 600}\n"
                    + "destinations:\n"
                    + urls.map { name, url in
                        "  - {name: \(name), url: \"\(url)\", secrets: [{file: \(file)}], "
                            + "retrySeconds: [100000], proxy: direct, "
                            + "timeoutSeconds: \(late.contains(name) ? 1 : 600)}\n"
                    }.joined()
            }, starts: starts)
    }

    private static func attempts(_ instance: Instance) -> [Substring] {
        let page = try? instance.admin().get("/metrics").body
        return page?.split(separator: "\n")
            .filter { $0.hasPrefix("ipnd_delivery_attempts_total") } ?? []
    }
}
