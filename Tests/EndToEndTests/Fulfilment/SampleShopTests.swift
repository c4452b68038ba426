import Foundation
import TestSupport
import Testing

/// Runs the shop of config/examples/shop.
@Suite(.ownThreads, .enabled(if: installedProgram("python3") != nil, "python3 is not installed"))
struct SampleShopTests {
    private let folder = TemporaryFolder()
    private static let program = SourceTree.url("config/examples/shop/shop.py").path

    private func command(_ admin: UInt16, _ token: String, _ arguments: String...)
        -> [String]
    {
        [
            "-C", folder.path, "IPND_ADMIN=http://127.0.0.1:\(admin)", "IPND_TOKEN_FILE=\(token)",
            "timeout", "60", "python3", Self.program,
        ] + arguments
    }

    @Test func `the page says the rules of the shop`() throws {
        let rules = try ExampleLanguage.code(
            "python", of: "config/fulfilment.md", after: "## The function")
        let shop = try SourceTree.text("config/examples/shop/shop.py")
        let shared = rules.split(separator: "\n").filter { !$0.hasPrefix("def ") }
        for line in shared { #expect(shop.contains(line), "\(line)") }
        #expect(shared.count > 10)
        #expect(shop.split(separator: "\n", omittingEmptySubsequences: false).count <= 150)
    }

    @Test func `it holds and ships by the hostile feed`() throws {
        let token = try folder.write("token", "secret")
        let feed = try HostileFeed.serve(pageSize: 5)
        _ = try run("/usr/bin/env", command(feed.port, token, "list"))
        try folder.write(
            "make.py",
            """
            import json, sqlite3, sys
            db = sqlite3.connect("shop.db")
            for key, total in json.loads(sys.argv[1]).items():
                row = key.split("/", 1) + total.split()
                db.execute("INSERT INTO orders VALUES (?, ?, ?, ?)", row)
            db.commit()

            """)
        let totals = try JSONEncoder().encode(HostileFeed.totals)
        let made = try run(
            "/usr/bin/env",
            ["-C", folder.path, "python3", "make.py", String(decoding: totals, as: UTF8.self)])
        try #require(made.status == 0, "\(made.errors)")
        let done = try run("/usr/bin/env", command(feed.port, token, "run"))
        #expect(done.errors.contains("401"), "\(done.errors)")
        let list = try run("/usr/bin/env", command(feed.port, token, "list"))
        let decided = list.lines.map { $0.components(separatedBy: "\t") }
            .reduce(into: [String: String]()) { $0[$1[0]] = "\($1[1]) \($1[2])" }
        #expect(decided == HostileFeed.decisions, "\(list.output)")
    }

    @Test func `an order that is paid is shipped once, and a refunded one is not`() throws {
        let instance = try Instance()
        let token = "\(instance.folder)/secrets/admin-token"
        let antom = try SandboxProvider("antom", of: instance)
        func shop(_ arguments: String...) throws -> String {
            let done = try run(
                "/usr/bin/env", command(instance.adminPort, token) + arguments)
            #expect(done.status == 0, "\(done.errors)")
            return done.output
        }
        for reference in ["SHOP-1", "SHOP-2", "SHOP-3"] {
            #expect(try shop("sell", reference, "4200", "MYR") == "sold antom/\(reference)\n")
        }
        let consumer = try BackgroundProgram(
            "/usr/bin/env", command(instance.adminPort, token, "run"))
        defer { consumer.kill() }
        try instance.deliver(antom.delivery(.paid, reference: "SHOP-1").request())
        try instance.deliver(antom.delivery(.paid, reference: "SHOP-2", minor: 420).request())
        let isDecided = try eventually {
            try shop("list").contains("antom/SHOP-1\tship") && shop("list").contains("antom/SHOP-2")
        }
        #expect(isDecided, "\(consumer.output)")
        #expect(try shop("list").contains("antom/SHOP-2\thold"))
        #expect(try shop("ship") == "shipped antom/SHOP-1\n")
        #expect(try shop("ship") == "")
    }
}
