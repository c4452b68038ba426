import Foundation
import TestSupport
import Testing

/// More load than the disk can write: refused in the provider's form with bounded memory, and
/// accepted later.
@Suite(.ownThreads, .serialized) struct OverloadTests {
    /// strace(1) slows the disk: it delays each `fdatasync` by 0.2 s.
    private func slow(_ instance: Instance) throws {
        instance.launcher =
            [try #require(installedProgram("strace")), "-D", "-f", "-qq", "-o", "/dev/null"]
            + ["-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=200000"]
            + [Binary.ipnd, "serve", "--config", instance.configurationFile]
    }

    @Test(.enabled(if: installedProgram("strace") != nil))
    func `beyond the queue the provider is told to come again`() throws {
        let instance = try Instance(
            edit: { $0 + "\nlimits: {queueSubmissionsMax: 3}\n" }, starts: false)
        try slow(instance)
        try instance.start()
        let antom = try SandboxProvider("antom", of: instance)
        let requests = try (0..<40).map { try antom.delivery(reference: "FULL-\($0)").request() }
        let clients = try requests.map { _ in try instance.client() }
        for (client, request) in zip(clients, requests) { try client.send(request) }
        let answers = try clients.map { try $0.receive() }
        #expect(Set(answers.map(\.status)) == [200, 503])
        for answer in answers where answer.status == 503 {
            #expect(Int(answer.fields["retry-after"] ?? "") ?? 0 > 0)
            #expect(answer.fields["content-type"] == "application/json")
            #expect(answer.body.contains(#""resultStatus":"U""#), "\(answer.body)")
        }
        // The provider retries, and finally each notification is recorded once.
        for (index, client) in clients.enumerated() where answers[index].status == 503 {
            _ = try eventually {
                try client.send(requests[index])
                return try client.receive().status == 200
            }
        }
        let kept = try instance.references()
        #expect(Set(kept).count == 40 && kept.count == 40)
    }

    @Test func `a flood of bad signatures leaves memory bounded and genuine ones served`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        let bad = try antom.delivery(reference: "BAD").replacing(header: "client-id", with: "X")
        let forged = bad.replacing(body: Array(repeating: 0x20, count: 60_000)).request()
        let before = try instance.residentKilobytes()
        let flood = Box(true)
        let finished = DispatchGroup()
        for _ in 0..<8 {
            let client = try instance.client()
            finished.enter()
            Thread.detachNewThread {
                defer { finished.leave() }
                while flood.get(), (try? client.send(forged)) != nil, (try? client.receive()) != nil
                {}
            }
        }
        for number in 0..<100 {
            let client = try instance.client()
            try client.send(antom.delivery(reference: "GENUINE-\(number)").request())
            #expect(try client.receive().status == 200)
        }
        flood.set(false)
        finished.wait()
        let grown = try instance.residentKilobytes() - before
        #expect(grown < 150_000, "\(grown) KiB more than before")
    }
}

extension Instance {
    /// The process's resident memory (`VmRSS` of proc(5)).
    fileprivate func residentKilobytes() throws -> Int {
        let text = try String(
            contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
