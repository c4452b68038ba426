import Foundation
import Providers
import TestSupport
import Testing

/// Behind real proxies, the client's address is the one that a trusted proxy reports: for the
/// allow-list of source networks, the record and the log.
@Suite(.ownThreads) struct ProxiedClientTests {
    /// Creates an instance with one endpoint that only 127.0.0.7 may call.
    private func instance(_ chain: ProxyChain, trusted: String) throws -> Instance {
        let instance = try Instance(starts: false)
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
            .replacingOccurrences(
                of: #"- address: "127.0.0.1:0""#,
                with: """
                    - address: "\(chain.address(in: instance.folder))"
                        proxy: {trusted: [\(trusted)], \(chain.listening)}
                    \(chain.usesSocketFile ? "    mode: \"0660\"" : "")
                    """
            )
            .replacingOccurrences(
                of: "path: /ipn/antom", with: "path: /ipn/antom\n    allow: [127.0.0.7/32]")
        try text.write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        try instance.start()
        return instance
    }

    /// Returns the status for a client at 127.0.0.`source` that claims to be 127.0.0.7; 0 if the
    /// connection ends without an answer.
    private func status(
        _ delivery: OutboundRequest, from source: UInt8, port: UInt16
    ) throws -> Int {
        let client = try Client(port: port, source: source)
        try client.send(
            delivery.adding("X-Forwarded-For", "127.0.0.7").adding("Forwarded", "for=127.0.0.7")
                .request())
        do { return try client.receive().status } catch is Client.ConnectionClosed { return 0 }
    }

    @Test(arguments: ProxyChain.all)
    func `the client is who the trusted proxy says and not who it claims to be`(_ chain: ProxyChain)
        throws
    {
        let instance = try instance(chain, trusted: "127.0.0.1/32")
        let port = try FreePort.take()
        let proxy = try #require(try chain.start(before: instance, on: port), "not installed")
        defer { proxy.stop() }
        _ = try #require(try proxy.connect(port: port), "\(proxy.output)")
        let antom = try SandboxProvider("antom", of: instance)
        #expect(
            try status(antom.delivery(reference: "FROM-7"), from: 7, port: port) == 200,
            "\(instance.logText)")
        #expect(try status(antom.delivery(reference: "FROM-8"), from: 8, port: port) == 403)
        if chain.usesSocketFile {
            var file = stat()
            #expect(lstat("\(instance.folder)/ipnd.sock", &file) == 0)
            #expect(file.st_mode & 0o777 == 0o660)
        }
        let records = try instance.records()
        #expect(records.map { $0["peer"] as? String } == ["127.0.0.7"])
        instance.stop()
        let lines = instance.logText.split(separator: "\n")
        #expect(lines.contains { $0.contains("FROM-7") && $0.contains("client=127.0.0.7") })
        #expect(lines.contains { $0.contains("foreign_network") && $0.contains("127.0.0.8") })
    }

    /// A Unix-domain peer is trusted because of the permissions of the socket's file.
    @Test(arguments: ProxyChain.all.filter { !$0.usesSocketFile })
    func `the word of any other proxy does not count`(_ chain: ProxyChain) throws {
        let instance = try instance(chain, trusted: "192.0.2.1/32")
        let port = try FreePort.take()
        let proxy = try #require(try chain.start(before: instance, on: port), "not installed")
        defer { proxy.stop() }
        _ = try #require(try proxy.connect(port: port), "\(proxy.output)")
        let delivery = try SandboxProvider("antom", of: instance).delivery(reference: "FROM-7")
        #expect(try status(delivery, from: 7, port: port) == chain.distrusted)
        #expect(try instance.records().isEmpty)
    }
}
