import Foundation
import TestSupport
import Testing

/// The shop of Tests/Examples/with-hummingbird, a package of its own: `scripts/test --all` builds
/// it and runs these tests with the program.
@Suite(.ownThreads) struct HummingbirdShopTests {
    private let folder = TemporaryFolder()
    private static let program = ProcessInfo.processInfo.environment["IPND_EXAMPLES"].map {
        "\($0)/Shop"
    }
    private static let sources = "Tests/Examples/with-hummingbird/Sources/Shop"

    /// Apart from where the lines break.
    @Test func `its rules are those of the page`() throws {
        let code = try ExampleLanguage.code(
            "swift", of: "config/fulfilment.md", after: "## The function")
        let own = try SourceTree.text("\(Self.sources)/Decide.swift")
            .split(separator: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n")
        func words(_ text: String) -> String { text.filter { !$0.isWhitespace } }
        #expect(words(own) == words(code))
        #expect(words(code).count > 500)
    }

    @Test(.enabled(if: program != nil, "scripts/test --all builds the examples"))
    func `it holds and ships by the hostile messages`() throws {
        let program = try #require(Self.program)
        let totals = HostileFeed.totals.merging(["antom/E-1": "4200 MYR"]) { $1 }
        try folder.write(
            "make.py",
            """
            import json, sqlite3, sys
            db = sqlite3.connect("shop.db")
            db.execute("CREATE TABLE orders (endpoint text, reference text, total text,"
                       " PRIMARY KEY (endpoint, reference))")
            for key, total in json.loads(sys.argv[1]).items():
                db.execute("INSERT INTO orders VALUES (?, ?, ?)", [*key.split("/", 1), total])
            db.commit()

            """)
        let text = String(decoding: try JSONEncoder().encode(totals), as: UTF8.self)
        let made = try run("/usr/bin/env", ["-C", folder.path, "python3", "make.py", text])
        try #require(made.status == 0, "\(made.errors)")
        try ReceivingExampleTests.play([program], in: folder)
        let found = try run(
            "/usr/bin/env",
            [
                "-C", folder.path, "python3", "-c",
                "import json, sqlite3; print(json.dumps({f'{e}/{n}': f'{a} {w}' for e, n, a, w in "
                    + "sqlite3.connect('shop.db').execute('SELECT endpoint, name, action, why "
                    + "FROM decisions')}))",
            ])
        try ReceivingExampleTests.expectDecided(found.output)
    }

    /// Messages of ipnd are in order, unless one is sent again or the journal is replaced.
    @Test(.enabled(if: program != nil, "scripts/test --all builds the examples"))
    func `a late message replaces no later one`() throws {
        let program = try #require(Self.program)
        let port = try FreePort.take()
        let shop = try BackgroundProgram(
            "/usr/bin/env",
            [
                "-C", folder.path, "SHOP_SECRET=\(ReceivingExampleTests.secret)", "PORT=\(port)",
                program,
            ])
        defer { shop.kill() }
        try #require(try shop.connect(port: port) != nil, "\(shop.output)")
        let store = HostileFeed.store
        let other = String(repeating: "6", count: 32)
        func send(_ store: String, _ sequence: Int, _ status: String) throws -> String {
            let event =
                #"{"schema":1,"endpoint":"antom","sequence":\#(sequence),"flags":[],"#
                + #""order":{"reference":"L-1","status":"\#(status)"}}"#
            let message = try ReceivingExampleTests.message(
                "\(store)-\(sequence)", #"{"type":"order.x","data":\#(event)}"#)
            #expect(try Client(port: port).exchange(message) == 204, "\(shop.output)")
            let address = "http://127.0.0.1:\(port)/decisions"
            let asked = ["curl", "--silent", "--max-time", "60", address]
            return try run("/usr/bin/env", asked).output
        }
        #expect(try send(store, 9, "refunded").contains("refunded"))
        #expect(try send(store, 8, "disputed").contains("refunded"))
        // Another journal counts from the beginning; what the old one sent stays done.
        #expect(try send(other, 1, "charged_back").contains("charged_back"))
        #expect(try send(store, 9, "refunded").contains("charged_back"))
    }

    @Test(.enabled(if: program != nil, "scripts/test --all builds the examples"))
    func `what is paid is shipped once, and what is refunded is not`() throws {
        let program = try #require(Self.program)
        let secret = ReceivingExampleTests.secret
        let file = try folder.write("secret", secret)
        let port = try FreePort.take()
        let instance = try Instance(edit: { text in
            text + "\ndestinations:\n  - {name: shop, url: \"http://127.0.0.1:\(port)/payments\", "
                + "secrets: [{file: \(file)}], retrySeconds: [0.1, 0.1, 100000]}\n"
        })
        let bare = try run("/usr/bin/env", ["-C", folder.path, "SHOP_SECRET=", program])
        #expect(bare.status != 0 && bare.errors.contains("SHOP_SECRET"), "\(bare)")
        let environment = [
            "-C", folder.path, "SHOP_SECRET=\(secret)", "PORT=\(port)",
            "IPND_ADMIN=http://127.0.0.1:\(instance.adminPort)",
            "IPND_TOKEN_FILE=\(instance.folder)/secrets/admin-token", program,
        ]
        var shop = try BackgroundProgram("/usr/bin/env", environment)
        defer { shop.kill() }
        try #require(try shop.connect(port: port) != nil, "\(shop.output)")
        func ask(_ method: String, _ path: String, _ body: String = "") throws -> (Int, String) {
            let answer = try run(
                "/usr/bin/env",
                [
                    "curl", "--silent", "--max-time", "60", "--request", method, "--data", body,
                    "--header", "Content-Type: application/json", "--write-out", "\n%{http_code}",
                    "http://127.0.0.1:\(port)/\(path)",
                ])
            let parts = answer.output.components(separatedBy: "\n")
            return (Int(parts.last ?? "") ?? 0, parts.first ?? "")
        }
        func sale(_ reference: String, _ minor: Int = 4200) -> String {
            #"{"endpoint":"antom","reference":"\#(reference)","#
                + #""amount":{"minor":\#(minor),"currency":"MYR"}}"#
        }
        for reference in ["S-1", "S+2", "S-3", "S-1"] {
            #expect(try ask("POST", "orders", sale(reference)).0 == 201, "\(shop.output)")
        }
        #expect(try ask("POST", "orders", sale("S-1", 100)).0 == 409)
        #expect(try instance.admin().get("/orders/antom/S%2B2").body.contains("4200"))

        let antom = try SandboxProvider("antom", of: instance)
        for (reference, minor) in [("S-1", 4200), ("S+2", 4200), ("S-3", 420)] {
            try instance.deliver(
                antom.delivery(.paid, reference: reference, minor: Int64(minor)).request())
        }
        // The third was paid with a tenth of its sum.
        let words = [#""name":"S-1""#, #""name":"S+2""#, #""name":"S-3""#, #""action":"hold""#]
        var decisions = ""
        #expect(
            try eventually {
                decisions = try ask("GET", "decisions").1
                return words.allSatisfy(decisions.contains)
            }, "\(decisions)\(shop.output)")
        // A shop that was stopped meanwhile gets the refund later, and asks before it ships.
        shop.kill()
        try instance.deliver(antom.delivery(.refunded, reference: "S+2", number: 2).request())
        shop = try BackgroundProgram("/usr/bin/env", environment)
        try #require(try shop.connect(port: port) != nil, "\(shop.output)")
        // The warehouse asks four times at once.
        let address = "http://127.0.0.1:\(port)/ship"
        let asked = try run(
            "/usr/bin/env",
            [
                "curl", "--silent", "--max-time", "60", "--parallel", "--parallel-immediate",
                "--request", "POST",
            ]
                + Array(repeating: address, count: 4))
        let shipped = asked.output.components(separatedBy: #"["antom\/S-1"]"#).count - 1
        #expect(shipped == 1 && !asked.output.contains("S+2"), "\(asked.output)")
        #expect(try ask("POST", "ship") == (200, "[]"))
    }
}
