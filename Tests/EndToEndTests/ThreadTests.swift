import Foundation
import TestSupport
import Testing

/// The threads of a real server.
@Suite(.ownThreads) struct ThreadTests {
    private let folder = TemporaryFolder()

    /// A thread of libdispatch would never be quite idle: `WorkerPool` says why.
    @Test func `every thread of a server that has done all kinds of work is its own`() throws {
        let secret = try folder.write("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
        let shop = try LocalServer(once: { _ in LocalServer.answer(204, "Connection: close\r\n") })
        let instance = try Instance(edit: { text in
            text + "\ndestinations:\n  - {name: shop, url: \"http://127.0.0.1:\(shop.port)/\", "
                + "secrets: [{file: \(secret)}]}\n"
                + "alerts: {webhook: {url: \"http://127.0.0.1:\(shop.port)/\"}}\n"
        })
        let antom = try SandboxProvider("antom", of: instance)
        // The second start finds a journal and an index.
        try instance.deliver(antom.delivery(.paid, reference: "P-0", number: 9).request())
        #expect(
            try eventually { try instance.admin().get("/orders?status=paid").body.contains("P-0") })
        #expect(instance.stop() == 0)
        try instance.start()
        try instance.deliver(antom.delivery(.paid, reference: "P-1", minor: 4200).request())
        let admin = try instance.admin()
        #expect(try eventually { try admin.get("/orders?status=paid").body.contains("P-1") })
        for path in ["/metrics", "/events?after=0", "/audit", "/deliveries", "/destinations"] {
            #expect(try admin.get(path).status == 200, "\(path)")
        }
        let visitor = try PageSessionTests.visitor(instance)
        for screen in PageSessionTests.screens {
            #expect(try visitor.get("/ui/\(screen)").status == 200, "\(screen)")
        }
        #expect(eventually { shop.requests.contains { $0.contains("P-1") } })
        instance.process.signal(SIGHUP)
        #expect(eventually { instance.logText.contains("reloaded") })
        let threads = "/proc/\(instance.process.processIdentifier)/task"
        let names = try FileManager.default.contentsOfDirectory(atPath: threads).compactMap {
            try? String(contentsOfFile: "\(threads)/\($0)/comm", encoding: .utf8)
        }
        #expect(names.contains("ipnd-work\n"))
        #expect(names.filter { !$0.hasPrefix("ipnd") } == [])
    }
}
