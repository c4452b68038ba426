import Bytes
import Providers
import TestSupport
import Testing
import WebClient

@testable import ServerConfiguration

private let secret = "whsec_" + Base64.encode(Array(repeating: 1, count: 32))

private let environment = [
    "SHOP": secret, "NEXT": "whsec_" + Base64.encode(Array(repeating: 2, count: 24)),
    "BARE": Base64.encode(Array(repeating: 1, count: 32)), "PASSWORD": "hunter2hunter2hunter",
    "SHORT": "whsec_" + Base64.encode(Array(repeating: 1, count: 23)),
    "LONG": "whsec_" + Base64.encode(Array(repeating: 1, count: 65)), "BROKEN": "whsec_hunter2!",
    "PUBLIC": "whpk_" + Base64.encode(Array(repeating: 1, count: 32)), "TOKEN": "Bearer hunter2",
    "PROXY": "http://user:hunter2@proxy.example:3128", "BADPROXY": "socks://u:hunter2@proxy:1",
]

/// A configuration with one destination, whose value begins in line 4, column 16.
private func destination(_ settings: String) -> String {
    """
    listeners: [{address: 127.0.0.1:1}]
    journal: {directory: journal}
    endpoints: [{name: citcon, path: /a, provider: citcon-upi, secrets: [{file: secrets/citcon}]}]
    destinations: [\(settings)]

    """
}

private let shop = "name: shop, url: \"https://shop.example/hook\""
private let signed = "\(shop), secrets: [{env: SHOP}]"

@Suite struct DestinationTests {
    @Test func `what is left out has its default`() throws {
        let folder = try TemporaryFolder.filled()
        let configuration = try folder.load(
            destination("{\(signed)}"), environment: environment
        ).get()
        let shop = try #require(configuration.destinations.first)
        #expect(shop.url.description == "https://shop.example/hook")
        #expect(shop.endpoints == nil && shop.statuses == nil && shop.kinds == nil)
        #expect(
            shop.retrySeconds == [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400])
        #expect(shop.breakerSeconds == 30 && shop.timeoutSeconds == 20 && shop.concurrency == 64)
        #expect(shop.start == .now && shop.headers.isEmpty && shop.route == WebRoute())
        #expect(configuration.warnings.isEmpty, "\(configuration.warnings)")
    }

    @Test func `everything that is said arrives`() throws {
        let folder = try TemporaryFolder.filled()
        let settings = """
            \(shop), secrets: [{env: SHOP}, {env: NEXT}], endpoints: [citcon], \
            statuses: [paid, refunded], kinds: [payment, refund], retrySeconds: [0.5, 2, 30], \
            breakerSeconds: 1.5, timeoutSeconds: 3, concurrency: 4, from: 100, \
            headers: {x-shop: live, authorization: {env: TOKEN}}, caFile: tls/ca.pem, \
            clientCertificate: {certificate: tls/cert.pem, key: tls/key.pem}, \
            proxy: {env: PROXY}, allowAddresses: [169.254.10.0/24]
            """
        let configuration = try folder.load(
            destination("{\(settings)}"), environment: environment
        ).get()
        let shop = try #require(configuration.destinations.first)
        #expect(shop.endpoints == ["citcon"] && shop.kinds == ["payment", "refund"])
        #expect(shop.statuses == [.paid, .refunded])
        #expect(shop.retrySeconds == [0.5, 2, 30] && shop.breakerSeconds == 1.5)
        #expect(shop.timeoutSeconds == 3 && shop.concurrency == 4 && shop.start == .sequence(100))
        #expect(shop.headers.map { Array($0.value) }.contains(Array("Bearer hunter2".utf8)))
        #expect(shop.route.proxy == .url("http://user:hunter2@proxy.example:3128"))
        #expect(shop.route.caFile == "\(folder.path)/tls/ca.pem")
        #expect(shop.route.clientCertificate?.key == "\(folder.path)/tls/key.pem")
        #expect(shop.route.addresses.allowed.map(\.description) == ["169.254.10.0/24"])
        let keys = try ["SHOP", "NEXT"].map {
            try StandardWebhooksKey(Array((environment[$0] ?? "").utf8), setting: "")
        }
        #expect(try shop.signer == StandardWebhooksSigner(keys))
        let told = configuration.describe()
        #expect(
            told.contains(
                "deliver        shop: https://shop.example/hook; signed by variable SHOP, variable "
                    + "NEXT; of citcon; paid, refunded; kinds payment, refund; from record "
                    + "100; 4 attempts, 4 at once; through a proxy"), "\(told)")
        #expect(!told.contains("hunter2") && !told.contains("whsec"))
    }

    @Test func `a private key signs`() throws {
        let folder = try TemporaryFolder.filled()
        let pair = try StandardWebhooksKey.freshPair()
        let configuration = try folder.load(
            destination("{\(shop), secrets: [{env: SHOP}]}"),
            environment: ["SHOP": pair.privateText]
        ).get()
        #expect(configuration.destinations.count == 1)
    }

    /// Exactly this error is reported, without any part of a secret.
    @Test(arguments: mistakes)
    func `a mistake is told with its line and a remedy`(_ mistake: DestinationMistake) throws {
        let folder = try TemporaryFolder.filled()
        let yaml = destination("") + "destinations:\n" + mistake.lines.joined(separator: "\n")
        let text = yaml.replacing("destinations: []\n", with: "")
        guard case .failure(let error) = try folder.load(text, environment: environment) else {
            Issue.record("no mistake was found")
            return
        }
        #expect(error.mistakes.count == 1, "\(error)")
        let found = try #require(error.mistakes.first)
        #expect(found.line == mistake.line, "\(found)")
        #expect(found.key == "destinations[0].\(mistake.key)", "\(found)")
        #expect(!"\(error)".contains("hunter"), "\(error)")
        for words in mistake.words { #expect("\(found)".contains(words), "\(found)") }
    }

    @Test(arguments: [
        ("{\(shop)}", "destinations[0].secrets: this key is missing"),
        ("{name: shop, secrets: [{env: SHOP}]}", "destinations[0].url: this key is missing"),
        ("{\(signed)}, {\(signed)}", "is already used by destinations[0].name"),
    ])
    func `what is missing or repeated is a mistake`(_ settings: String, _ words: String) throws {
        let folder = try TemporaryFolder.filled()
        guard
            case .failure(let error) = try folder.load(
                destination(settings), environment: environment)
        else {
            Issue.record("no mistake was found")
            return
        }
        #expect(error.mistakes.count == 1 && "\(error)".contains(words), "\(error)")
    }

    @Test(arguments: [
        ("{\(signed.replacing("https://shop", with: "http://shop"))}", "unencrypted"),
        ("{\(signed), kinds: [refunds]}", "did you mean `refund`?"),
    ])
    func `what is probably not meant is a warning`(_ settings: String, _ words: String) throws {
        let folder = try TemporaryFolder.filled()
        let configuration = try folder.load(destination(settings), environment: environment).get()
        #expect(configuration.warnings.count == 1)
        #expect("\(configuration.warnings)".contains(words), "\(configuration.warnings)")
    }

    @Test func `plain HTTP to this machine is fine`() throws {
        let folder = try TemporaryFolder.filled()
        for host in ["localhost:3000", "127.0.0.1:3000", "[::1]:3000"] {
            let settings = "{name: a, url: \"http://\(host)/\", secrets: [{env: SHOP}]}"
            let read = try folder.load(destination(settings), environment: environment).get()
            #expect(read.warnings.isEmpty)
        }
    }
}

/// A destination from line 5 on, and its error.
struct DestinationMistake: Sendable, CustomTestStringConvertible {
    let lines: [String]
    let line: Int
    let key: String
    let words: [String]

    var testDescription: String { lines.joined(separator: " ") }

    /// Returns a valid destination in which the line replaces that of the same key or is added.
    init(_ changed: String, _ key: String? = nil, _ words: String...) {
        let name = String(changed.prefix { $0 != ":" })
        var lines = [
            "name: shop", "url: \"https://shop.example/hook\"", "secrets: [{env: SHOP}]",
        ]
        let index = lines.firstIndex { $0.hasPrefix("\(name):") } ?? lines.count
        if index == lines.count { lines.append("") }
        lines[index] = changed
        self.lines = lines.enumerated().map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
        line = 5 + index
        self.key = key ?? name
        self.words = words
    }
}

private let mistakes: [DestinationMistake] = [
    .init("secret: 1", "secret", "unknown", "`secrets`"),
    .init("secrets: []", "secrets", "is empty", "openssl rand"),
    .init("secrets: [{env: BARE}]", "secrets[0]", "does not begin with whsec_"),
    .init("secrets: [{env: PASSWORD}]", "secrets[0]", "does not begin with whsec_"),
    .init("secrets: [{env: SHOP}, {env: SHORT}]", "secrets[1]", "23 bytes", "24 to 64"),
    .init("secrets: [{env: LONG}]", "secrets[0]", "65 bytes"),
    .init("secrets: [{env: BROKEN}]", "secrets[0]", "what follows whsec_ is not Base64"),
    .init("secrets: [{env: PUBLIC}]", "secrets[0]", "public key", "whsk_"),
    .init("secrets: [{env: NOBODY}]", "secrets[0].env", "not set"),
    .init("secrets: [whsec_hunter2]", "secrets[0]", "must not be written"),
    .init("url: shop.example", "url", "not a valid URL", "https://shop.example/payments"),
    .init("url: \"ftp://shop.example\"", "url", "neither http nor https"),
    .init("url: \"https://u:hunter2@shop.example\"", "url", "password", "headers"),
    .init("url: \"https://169.254.169.254/\"", "url", "link-local", "allowAddresses"),
    .init("url: \"https://2852039166/\"", "url", "link-local"),
    .init("endpoints: [citcn]", "endpoints[0]", "there is no endpoint", "did you mean `citcon`?"),
    .init("endpoints: []", "endpoints", "is empty"),
    .init("statuses: [payed]", "statuses[0]", "is not known", "paid"),
    .init("retrySeconds: [5, 1:30]", "retrySeconds[1]", "not a number of seconds"),
    .init("retrySeconds: 5", "retrySeconds", "not a list"),
    .init("timeoutSeconds: 0", "timeoutSeconds", "out of range", "from 0.001 to 3600"),
    .init("timeoutSeconds: 1e3", "timeoutSeconds", "not a number of seconds"),
    .init("breakerSeconds: -1", "breakerSeconds", "not a number of seconds"),
    .init("concurrency: 0", "concurrency", "from 1 to 10000"),
    .init("proxy: \"ftp://proxy:1\"", "proxy", "neither http nor https", "proxy: direct"),
    .init("proxy: \"http://u:hunter2@proxy:1\"", "proxy", "must not be written"),
    .init("proxy: {env: BADPROXY}", "proxy", "neither http nor https"),
    .init("headers: {webhook-id: x}", "headers.webhook-id", "set by ipnd"),
    .init("headers: {a b: x}", "headers.a b", "not a valid header name"),
    .init("headers: {x: \"a\\nb\"}", "headers.x", "control character"),
    .init("caFile: tls/nothing.pem", "caFile", "nothing.pem", "create it"),
    .init("caFile: keys/nonsense.pem", "caFile", "nonsense.pem"),
    .init(
        "clientCertificate: {certificate: tls/cert.pem, key: tls/other-key.pem}",
        "clientCertificate", "key"),
    .init("clientCertificate: {certificate: tls/cert.pem}", "clientCertificate.key", "missing"),
    .init("allowAddresses: [everything]", "allowAddresses[0]", "not a valid network"),
]
