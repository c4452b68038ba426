import Foundation
import TestSupport
import Testing

/// Runs the consumers of config/api.md verbatim, with `decide` of config/fulfilment.md.
@Suite(.ownThreads) struct ConsumerExampleTests {
    /// Each run ends at the next step: before a page's decisions are written, or after.
    @Test(arguments: ExampleLanguage.names)
    func `a hostile feed ships what is paid and holds the rest, through restarts at every step`(
        _ name: String
    ) throws {
        let language = try #require(ExampleLanguage.all.first { $0.name == name })
        let folder = TemporaryFolder()
        let command = try language.consumer(in: folder, totals: HostileFeed.totals)
        try folder.write("steps", "")
        try folder.write("token", "secret")
        let feed = try HostileFeed.serve(pageSize: 4)
        let end = HostileFeed.events.count
        var starts = 0
        var output = ""
        while ExampleLanguage.position(in: folder) < end, starts < 3 * end {
            starts += 1
            let done = try run(
                "/usr/bin/env",
                [
                    "-C", folder.path, "IPND_ADMIN=http://127.0.0.1:\(feed.port)",
                    "IPND_TOKEN_FILE=\(folder.file("token"))", "timeout", "60",
                ] + command)
            output = done.output + done.errors
            // At the end of the feed the token is refused, which ends the consumer.
            if ExampleLanguage.position(in: folder) < end {
                try #require(done.status == 9, "\(output)")
            }
        }
        #expect(starts > 8)
        #expect(ExampleLanguage.position(in: folder) == end, "\(output)")
        #expect(ExampleLanguage.decisions(in: folder) == HostileFeed.decisions, "\(output)")
        #expect(
            feed.requests.allSatisfy { $0.lowercased().contains("authorization: bearer secret") })
    }

    @Test(arguments: ExampleLanguage.names)
    func `each order is decided through restarts of the server and of the consumer`(
        _ name: String
    ) throws {
        let language = try #require(ExampleLanguage.all.first { $0.name == name })
        let folder = TemporaryFolder()
        let totals = ["antom/A", "antom/B", "antom/C", "antom/D", "citcon/A"]
        let command = try language.consumer(
            in: folder, totals: Dictionary(uniqueKeysWithValues: totals.map { ($0, "4200 MYR") }))
        let port = try FreePort.take()
        let instance = try Instance(edit: { text in
            text.replacing(
                #"admin: {address: "127.0.0.1:0""#, with: #"admin: {address: "127.0.0.1:\#(port)""#)
        })
        func deliver(_ endpoint: String, _ reference: String, minor: Int64 = 4200) throws {
            let provider = try SandboxProvider(endpoint, of: instance)
            try instance.deliver(provider.delivery(reference: reference, minor: minor).request())
        }
        func expect(_ decisions: [String: String], _ consumer: BackgroundProgram) {
            let isDecided = eventually { ExampleLanguage.decisions(in: folder) == decisions }
            #expect(isDecided, "\(ExampleLanguage.decisions(in: folder))\n\(consumer.output)")
        }
        let consume = {
            try BackgroundProgram(
                "/usr/bin/env", Self.surroundings(folder, instance, port) + command)
        }
        try deliver("antom", "A")
        try deliver("citcon", "A")
        try deliver("antom", "B", minor: 100)
        var decisions = [
            "antom/A": "ship 4200 MYR", "citcon/A": "ship 4200 MYR", "antom/B": "hold 100 MYR",
        ]
        let first = try consume()
        defer { first.kill() }
        expect(decisions, first)
        // The server is restarted while the consumer runs.
        #expect(instance.stop() == 0)
        try instance.start()
        try deliver("antom", "C")
        decisions["antom/C"] = "ship 4200 MYR"
        expect(decisions, first)
        // The consumer is restarted and continues at its position.
        first.kill()
        try deliver("antom", "D")
        decisions["antom/D"] = "ship 4200 MYR"
        let second = try consume()
        defer { second.kill() }
        expect(decisions, second)
        #expect(eventually { ExampleLanguage.position(in: folder) == 5 })
    }

    /// The journal was replaced: every event is read again.
    @Test(arguments: ExampleLanguage.names)
    func `it begins again with another store`(_ name: String) throws {
        let language = try #require(ExampleLanguage.all.first { $0.name == name })
        let folder = TemporaryFolder()
        let command = try language.consumer(in: folder, totals: ["antom/A": "4200 MYR"])
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "A").request())
        let store = String(repeating: "0", count: 32)
        try folder.write(
            "state.json",
            #"{"position": {"after": 7, "store": "\#(store)"}, "decisions": {"antom/Z": "hold x"}}"#
        )
        let consumer = try BackgroundProgram(
            "/usr/bin/env", Self.surroundings(folder, instance, instance.adminPort) + command)
        defer { consumer.kill() }
        let isDecided = eventually {
            ExampleLanguage.decisions(in: folder)
                == ["antom/A": "ship 4200 MYR", "antom/Z": "hold x"]
        }
        #expect(isDecided, "\(consumer.output)")
    }

    private static func surroundings(
        _ folder: TemporaryFolder, _ instance: Instance, _ port: UInt16
    ) -> [String] {
        [
            "-C", folder.path, "IPND_ADMIN=http://127.0.0.1:\(port)",
            "IPND_TOKEN_FILE=\(instance.folder)/secrets/admin-token",
        ]
    }
}
