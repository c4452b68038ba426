import Delivery
import Foundation
import HTTP
import PostgreSQL
import Providers
import TestSupport
import Testing
import Yams

@testable import ServerConfiguration

/// `config/ipnd.yaml` shows every key with its default.
@Suite struct ReferenceTests {
    private static let text = (try? SourceTree.text("config/ipnd.yaml")) ?? ""

    /// Every `{env: NAME}` in it, with a value that is a valid secret for each provider.
    private static let environment: [String: String] = {
        let names = text.matches(of: /\{env: ([A-Z_]+)\}/).map { String($0.output.1) }
        var environment = Dictionary(names.map { ($0, "secret") }, uniquingKeysWith: { $1 })
        environment["IPND_VIEWER_TOKEN"] = String(repeating: "v", count: 32)
        environment["IPND_ALERT_SECRET"] =
            "whsec_" + String(repeating: "YWFh", count: 8)
        environment["IPND_ALERT_HEADER"] = "Bearer x"
        environment["IPND_COLLECTOR_TOKEN"] = "Bearer x"
        environment["IPND_ALICE_TOKEN"] = String(repeating: "a", count: 32)
        environment["IPND_OUTCOME_SECRET"] = String(repeating: "o", count: 32)
        environment["IPND_OUTCOME_FORMER"] = String(repeating: "f", count: 32)
        environment["IPND_DATABASE"] = "host=db1,db2 user=shop password=secret dbname=payments"
        environment["OPP_KEY"] = String(repeating: "0a", count: 32)
        environment["ADYEN_HMAC_KEY"] = String(repeating: "0b", count: 32)
        environment["WECHATPAY_API_V3_KEY"] = String(repeating: "w", count: 32)
        environment["SHOP_SECRET"] = "whsec_" + Data(count: 32).base64EncodedString()
        environment["WEBHOOKS_SECRET"] = "whsec_" + Data(count: 32).base64EncodedString()
        return environment
    }()

    /// The same with the database's lines instead of those of the journal and the index.
    private static let databaseText: String = {
        var section = ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let kept = lines.compactMap { line -> Substring? in
            if line.first?.isLetter == true { section = String(line.prefix { $0 != ":" }) }
            if line.hasPrefix("#database:") || line.hasPrefix("#  ") { return line.dropFirst() }
            return ["journal", "index"].contains(section) ? nil : line
        }
        return kept.joined(separator: "\n")
    }()

    private static func read(
        _ text: String = text
    ) throws -> (Configuration, DecodingContext, TemporaryFolder) {
        let folder = try TemporaryFolder.filled()
        let file = try folder.write("ipnd.yaml", text)
        let (configuration, reading) = Configuration.read(file: file, environment: environment)
        return (try #require(configuration, "\(reading.findings)"), reading, folder)
    }

    @Test func `it loads and shows every system`() throws {
        let (configuration, _, _) = try Self.read()
        #expect(
            Set(configuration.endpoints.map(\.system)) == Set(ProviderRegistry.list.map(\.name)))
    }

    @Test func `every key that the readers know stands in it`() throws {
        for text in [Self.text, Self.databaseText] { try expectAllKeys(in: text) }
    }

    private static let recipeKeys = Set(
        ShippedRecipe.all.compactMap(\.file.recipe).flatMap { recipe in
            recipe.settings.map { "endpoints[].\($0.key)" }
                + recipe.descriptor.rows(.inquiry).map { "endpoints[].inquiry.\($0.key)" }
        })

    private static let language = (try? SourceTree.text("config/recipes.md")) ?? ""

    /// The last part of a key within `hmac` or `fields`.
    private static func languageWord(_ key: String) -> Substring? {
        guard key.contains(".hmac.") || key.contains(".fields.") else { return nil }
        return key.split(separator: ".").last.map { $0.prefix { $0 != "[" } }
    }

    private func expectAllKeys(in text: String) throws {
        let (_, reading, _) = try Self.read(text)
        let root = try #require(try Yams.compose(yaml: text))
        var shown: Set<String> = []
        Self.collect(root, "", into: &shown)
        // Both forms of a reference are shown once and not at every secret, and so are `tls`
        // and `mode`; what a variant may change is shown in `fields`.
        let isShown = { (original: String) in
            let key = original.replacing("admin.tls.", with: "listeners[].tls.")
                .replacing("admin.mode", with: "listeners[].mode")
                .replacing("outcome.tls.", with: "listeners[].tls.")
                .replacing("outcome.proxy.", with: "listeners[].proxy.")
                .replacing("admin.proxy.", with: "listeners[].proxy.")
                .replacing("alerts.webhook.headers.authorization", with: "endpoints[].secrets[]")
                .replacing("alerts.webhook.", with: "destinations[].")
                .replacing("telemetry.headers.authorization", with: "endpoints[].secrets[]")
                .replacing("telemetry.clientCertificate", with: "destinations[].clientCertificate")
                .replacing("telemetry.proxy", with: "destinations[].proxy")
                .replacing("telemetry.allowAddresses", with: "destinations[].allowAddresses")
                .replacing("fields.variants[].", with: "fields.")
                .replacing("hmacKeys[].", with: "secrets[].")
                .replacing("apiV3Keys[].", with: "secrets[].")
                .replacing("webhookSecrets[].", with: "secrets[].")
                .replacing("md5Keys[].", with: "secrets[].")
                .replacing("alipayPublicKeys[].", with: "secrets[].")
            if shown.contains(key) || shown.contains(original) { return true }
            // The page about recipes has all words of `hmac` and `fields`.
            // The settings of a recipe are in the tables of config/providers.md.
            if Self.recipeKeys.contains(key) { return true }
            if let word = Self.languageWord(key) { return Self.language.contains("`\(word)`") }
            // The sources of a secret; the last two of a master key only.
            guard let dot = key.lastIndex(of: "."),
                [".file", ".env", ".credential", ".command"].contains(key[dot...])
            else { return false }
            return shown.contains(String(key[..<dot]))
        }
        #expect(shown.contains("endpoints[].secrets[].file"))
        #expect(shown.contains("endpoints[].secrets[].env"))
        let missing = reading.knownKeys.filter { !isShown($0) }
        // Each of the two texts leaves out what stands in the other.
        let others = ["journal", "database", "index"]
        let wanted = missing.filter { key in
            !others.contains { key == $0 || key == "\($0).directory" } || shown.contains(key)
        }
        #expect(wanted.isEmpty, "\(wanted.sorted())")
    }

    @Test func `every line with a key has a comment`() {
        for line in (Self.text + Self.databaseText).split(separator: "\n") {
            let code = line.drop { $0 == " " || $0 == "-" }
            guard !code.hasPrefix("#"), code.contains(": ") || code.hasSuffix(":") else { continue }
            #expect(code.contains(" # "), "\(line)")
            #expect(line.count <= 120, "\(line)")
        }
    }

    @Test func `what it shows as a default is one`() throws {
        let (configuration, _, folder) = try Self.read()
        #expect(configuration.limits == Limits())
        #expect(configuration.queue == QueueLimits())
        #expect(configuration.delivery == DeliveryLimits())
        #expect(configuration.journal == JournalConfiguration(directory: "\(folder.path)/journal"))
        let rejections = RejectionsConfiguration(directory: "\(folder.path)/rejections")
        #expect(configuration.rejections == rejections)
        #expect(configuration.log == LogConfiguration())
        #expect(configuration.loops == Processors.usable())
        #expect(configuration.drainDelaySeconds == 0)
        for endpoint in configuration.endpoints {
            #expect(endpoint.publicPath == endpoint.path)
            #expect(endpoint.settings["mode"] ?? "live" == "live")
            #expect(
                endpoint.allow.isEmpty
                    || endpoint.allow.contains { $0.contains(.v4([203, 0, 113, 7])) })
            if let fields = endpoint.settings[SettingRow.fields] {
                #expect(fields.amountForm == FieldMapping(status: "").amountForm)
            }
            if let hmac = endpoint.settings[HMACWebhook.scheme] {
                let plain = HMACScheme(
                    at: hmac.place, layout: hmac.layout, content: hmac.content)
                #expect(hmac == plain)
            }
        }
    }

    @Test func `what it shows as a default of the database is one`() throws {
        let (configuration, _, _) = try Self.read(Self.databaseText)
        let database = try #require(configuration.database)
        let plain = DatabaseConfiguration(
            connection: database.connection, source: .variable("IPND_DATABASE"),
            session: SessionSettings(schema: "ipnd"))
        #expect(database == plain)
    }

    @Test func `what it shows as a default of a destination is one`() throws {
        let (configuration, _, _) = try Self.read()
        let shown = try #require(configuration.destinations.first)
        let plain = DestinationConfiguration(name: "shop", url: shown.url, signer: shown.signer)
        #expect(shown.retrySeconds == plain.retrySeconds)
        #expect(shown.breakerSeconds == plain.breakerSeconds)
        #expect(shown.timeoutSeconds == plain.timeoutSeconds)
        #expect(shown.concurrency == plain.concurrency)
        #expect(shown.start == plain.start)
    }

    private static func collect(_ node: Node, _ path: String, into shown: inout Set<String>) {
        switch node {
        case .mapping(let mapping):
            for (key, value) in mapping {
                let next = path.isEmpty ? key.string ?? "" : "\(path).\(key.string ?? "")"
                shown.insert(next)
                collect(value, next, into: &shown)
            }
        case .sequence(let sequence):
            for value in sequence { collect(value, "\(path)[]", into: &shown) }
        default: break
        }
    }
}
