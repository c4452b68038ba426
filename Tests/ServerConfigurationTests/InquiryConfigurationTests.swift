import Cryptography
import Providers
import TestSupport
import Testing
import WebClient

@testable import ServerConfiguration

private let environment = [
    "SECRET": "hunter2", "KEY": String(repeating: "0a", count: 32), "TOKEN": "hunter2token",
    "PRIVATE": "sk-hunter2", "LINES": "hunter2\nhunter2", "PUBLIC": KeyFixture.rsa.publicKeyPEM,
    "BARE": KeyFixture.rsa.pem.split(separator: "\n").dropFirst().dropLast().joined(),
]

private let entity = String(repeating: "e", count: 32)

/// A configuration with one endpoint, whose `inquiry` begins in line 4.
private func endpoint(_ settings: String, _ inquiry: String) -> String {
    """
    listeners: [{address: 127.0.0.1:1}]
    journal: {directory: journal}
    endpoints: [{name: e, path: /e, \(settings),
     inquiry: \(inquiry)}]

    """
}

private let antom =
    "provider: antom, clientID: C, keys: [{version: 1, publicKey: {file: keys/antom.pem}}]"
private let upi = "provider: citcon-upi, secrets: [{env: SECRET}]"
private let pay = "provider: citcon-pay, secrets: [{env: SECRET}]"
private let ecommpay = "provider: ecommpay, secrets: [{env: SECRET}]"
private let opp = "provider: opp, secrets: [{env: KEY}]"
private let stripe = "provider: stripe, secrets: [{env: SECRET}]"

@Suite struct InquiryConfigurationTests {
    @Test func `what is left out has its default`() throws {
        let oppKeys = "token: {env: TOKEN}, entityIDs: [\(entity)]"
        for (settings, inquiry, url) in [
            (
                antom, "{privateKey: {file: keys/private.pem}}",
                "https://open-sea-global.alipay.com"
            ),
            (upi, "{privateKey: {env: PRIVATE}}", "https://api.citconpay.com"),
            (pay, "{}", "https://citconpay.com"),
            ("\(ecommpay), projectID: 115", "{}", "https://api.ecommpay.com"),
            (opp, "{\(oppKeys)}", "https://eu-prod.oppwa.com"),
            ("\(opp), mode: test", "{\(oppKeys)}", "https://eu-test.oppwa.com"),
        ] {
            let folder = try TemporaryFolder.filled()
            let configuration = try folder.load(
                endpoint(settings, inquiry), environment: environment
            ).get()
            let read = try #require(configuration.endpoints.first?.inquiry)
            #expect(read.url.origin == url)
            #expect(read.timeoutSeconds == 20 && read.route == WebRoute())
            #expect(read.schedule == InquirySchedule() && read.schedule.isAutomatic)
            let described = configuration.describe()
            #expect(described.contains("asked at \(url)"))
            #expect(!described.contains("hunter2") && !described.contains("PRIVATE KEY"))
        }
    }

    @Test func `an endpoint without inquiry is not asked`() throws {
        let folder = try TemporaryFolder.filled()
        let text = endpoint(antom, "{}").replacing(",\n inquiry: {}", with: "")
        let configuration = try folder.load(text, environment: environment).get()
        #expect(configuration.endpoints.first?.inquiry == nil)
    }

    @Test func `everything that is said arrives`() throws {
        let folder = try TemporaryFolder.filled()
        let inquiry =
            "{url: \"http://127.0.0.1:9\", privateKey: {env: BARE}, keyVersion: 2, "
            + "timeoutSeconds: 0.5, proxy: direct, caFile: tls/ca.pem}"
        let configuration = try folder.load(endpoint(antom, inquiry), environment: environment)
            .get()
        let read = try #require(configuration.endpoints.first?.inquiry)
        #expect(read.url.origin == "http://127.0.0.1:9" && read.timeoutSeconds == 0.5)
        #expect(read.route.proxy == .direct && read.route.caFile == "\(folder.path)/tls/ca.pem")
        #expect(read.credentialSources.map(\.key) == ["privateKey"])
        #expect(read.credentialSources.first?.source == .variable("BARE"))
        let step = try read.inquirer.next(
            InquiryConversation(InquiryQuestion(by: .reference, "R")), now: .init(microseconds: 0))
        guard case .ask(let request) = step else { return }
        let signature = request.headers.first { $0.isNamed("signature") }
        let text = String(decoding: try #require(signature).value, as: UTF8.self)
        #expect(text.hasPrefix("algorithm=RSA256,keyVersion=2,"))
    }

    @Test func `the schedule and its limits arrive`() throws {
        let folder = try TemporaryFolder.filled()
        let inquiry =
            "{schedule: [0.5, 60], repeatSeconds: 7200, daysAfterExpiry: 3, secondsPerQuestion: 2, "
            + "secondsPerOrder: 0.5, concurrency: 7, breakerQuestions: 8, breakerSeconds: 9.5, "
            + "retryAfterSecondsMax: 10, waitingOrdersMax: 11}"
        let read = try folder.load(endpoint(pay, inquiry), environment: environment).get()
            .endpoints.first?.inquiry?.schedule
        var expected = InquirySchedule()
        expected.schedule = [0.5, 60]
        expected.repeatSeconds = 7200
        expected.daysAfterExpiry = 3
        expected.secondsPerQuestion = 2
        expected.secondsPerOrder = 0.5
        expected.concurrency = 7
        expected.breakerQuestions = 8
        expected.breakerSeconds = 9.5
        expected.retryAfterSecondsMax = 10
        expected.waitingOrdersMax = 11
        #expect(read == expected)
        let never = try folder.load(endpoint(pay, "{schedule: []}"), environment: environment).get()
        #expect(never.endpoints.first?.inquiry?.schedule.isAutomatic == false)
        #expect(never.describe().contains("on demand only"))
    }

    @Test func `the gap after which the list is read arrives`() throws {
        let folder = try TemporaryFolder.filled()
        func read(_ inquiry: String) throws -> InquiryConfiguration? {
            try folder.load(endpoint(stripe, inquiry), environment: environment).get()
                .endpoints.first?.inquiry
        }
        let never = try read("{apiKey: {env: TOKEN}}")
        #expect(never?.lister != nil && never?.backfillAfterGapSeconds == nil)
        let gap = try read("{apiKey: {env: TOKEN}, backfill: {afterGapMinutes: 10}}")
        #expect(gap?.backfillAfterGapSeconds == 600)
    }

    @Test(arguments: mistakes)
    func `every mistake is told at its place`(_ mistake: Mistake) throws {
        try mistake.expectOnly(environment: environment)
    }
}

/// - Parameter column: Column of the value or key in the line of `inquiry`.
private func mistake(
    _ name: String, _ settings: String, _ inquiry: String, at column: Int, _ key: String,
    _ words: String...
) -> Mistake {
    let place = key.isEmpty ? "endpoints[0].inquiry" : "endpoints[0].inquiry.\(key)"
    return Mistake(
        name, endpoint(settings, inquiry), at: 4, column, place, words.joined(separator: " "))
}

private let mistakes: [Mistake] = [
    mistake("an unknown key", pay, "{urls: x}", at: 12, "urls", "url"),
    mistake(
        "plain http", pay, "{url: \"http://citconpay.com\"}", at: 17, "url", "unencrypted"),
    mistake("a path", pay, "{url: \"https://citconpay.com/x\"}", at: 17, "url", "path"),
    mistake("a query", pay, "{url: \"https://citconpay.com/?x\"}", at: 17, "url", "query"),
    mistake("no URL", pay, "{url: citconpay}", at: 17, "url", "URL"),
    mistake(
        "a link-local host", pay, "{url: \"https://169.254.169.254\"}", at: 17, "url",
        "is not called"),
    mistake("no private key", antom, "{}", at: 11, "privateKey", "private key is needed"),
    mistake(
        "a public key", antom, "{privateKey: {env: PUBLIC}}", at: 24, "privateKey", "public key"),
    mistake(
        "a key in place", upi, "{privateKey: sk-hunter2}", at: 24, "privateKey", "{file: path}"),
    mistake(
        "two lines in a header", upi, "{privateKey: {env: LINES}}", at: 24, "privateKey",
        "no header can carry"),
    mistake("no token", opp, "{entityIDs: [\(entity)]}", at: 11, "token", "is needed"),
    mistake("no entity", opp, "{token: {env: TOKEN}}", at: 11, "entityIDs", "at least one"),
    mistake(
        "a wrong entity", opp, "{token: {env: TOKEN}, entityIDs: [abc]}", at: 45, "entityIDs[0]",
        "32 hex digits"),
    mistake(
        "another system's key", pay, "{token: {env: TOKEN}}", at: 12, "token",
        "citcon-pay has no such setting"),
    // A setting of the endpoint, which is missing at the place of the question that needs it.
    Mistake(
        "no project", endpoint(ecommpay, "{}"), at: 4, 11, "endpoints[0].projectID", "is needed"),
    mistake(
        "a wrong report", opp, "{token: {env: TOKEN}, entityIDs: [\(entity)], report: v2}", at: 88,
        "report", "v1"),
    mistake(
        "a list that the provider does not have", pay, "{backfill: {afterGapMinutes: 10}}",
        at: 22, "backfill", "no list of events"),
    mistake(
        "a gap of no time", stripe, "{apiKey: {env: TOKEN}, backfill: {afterGapMinutes: 0}}",
        at: 62, "backfill.afterGapMinutes", "out of range"),
    mistake(
        "a gap without its length", stripe, "{apiKey: {env: TOKEN}, backfill: {}}", at: 44,
        "backfill.afterGapMinutes", "afterGapMinutes"),
    Mistake(
        "references that no search finds",
        endpoint("\(stripe), references: [/data/object/id]", "{apiKey: {env: TOKEN}}"), at: 4, 11,
        "endpoints[0].references", "metadata"),
    mistake("a time of zero", pay, "{schedule: [0]}", at: 23, "schedule[0]", "out of range"),
    mistake("times that do not ascend", pay, "{schedule: [60, 60]}", at: 22, "schedule", "ascend"),
    mistake(
        "repetitions every minute", pay, "{repeatSeconds: 60}", at: 27, "repeatSeconds",
        "out of range"),
    mistake(
        "no question at a time", pay, "{concurrency: 0}", at: 25, "concurrency", "out of range"),
    mistake(
        "no pause for an order", opp,
        "{token: {env: TOKEN}, entityIDs: [\(entity)], secondsPerOrder: 0}", at: 97,
        "secondsPerOrder", "out of range"),
    mistake(
        "endless patience", pay, "{daysAfterExpiry: 99999}", at: 29, "daysAfterExpiry",
        "out of range"),
    mistake(
        "a system that cannot be asked",
        "provider: standard-webhooks, secrets: [{file: secrets/shop}]",
        "{}", at: 11, "", "no call"),
]
