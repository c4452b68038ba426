import TestSupport
import Testing

@testable import ServerConfiguration

/// A configuration with one error, the reported position, and a required part of the message.
struct Mistake: Sendable, CustomTestStringConvertible {
    let name: String
    let yaml: String
    let line: Int
    let column: Int
    let key: String
    let words: [String]

    init(
        _ name: String, _ yaml: String, at line: Int, _ column: Int, _ key: String,
        _ words: String...
    ) {
        self.name = name
        self.yaml = yaml
        self.line = line
        self.column = column
        self.key = key
        self.words = words
    }

    var testDescription: String { name }

    /// Loads the configuration and expects exactly this error, with its position and message.
    func expectOnly(environment: [String: String]) throws {
        let folder = try TemporaryFolder.filled()
        guard case .failure(let error) = try folder.load(yaml, environment: environment) else {
            Issue.record("no mistake was found")
            return
        }
        #expect(error.mistakes.count == 1, "\(error)")
        let found = try #require(error.mistakes.first)
        #expect(found.line == line, "\(found)")
        #expect(found.column == column, "\(found)")
        #expect(found.key == key, "\(found)")
        for word in words { #expect("\(found)".contains(word), "\(found)") }
        #expect("\(found)".hasPrefix("\(folder.path)/ipnd.yaml:\(line):\(column): "))
        // The passwords in the tests' environments.
        #expect(!"\(error)".contains("hunter"), "\(error)")
    }
}

/// Lines 1 to 3 of a valid configuration; endpoints follow.
private let head = """
    listeners: [{address: 127.0.0.1:8080}]
    admin: {address: 127.0.0.1:9090, token: {file: secrets/admin-token}}
    journal: {directory: journal}

    """

/// A valid endpoint, at any indentation.
private let citcon =
    "{name: citcon, path: /ipn/citcon, provider: citcon-upi, secrets: [{file: secrets/citcon}]}"
/// The settings of a second endpoint.
private let upi = "provider: citcon-upi, secrets: [{env: CITCON}]"
private let endpoints = "endpoints: [\(citcon)]\n"
private let key = "{version: 1, publicKey: {file: keys/antom.pem}}"

private func citconUPI(_ settings: String) -> String {
    head + "endpoints: [{name: a, path: /a, provider: citcon-upi, \(settings)}]\n"
}

private func antom(_ settings: String) -> String {
    head + "endpoints: [{name: antom, path: /ipn/antom, provider: antom, clientID: C, "
        + "\(settings)}]\n"
}

private func listeners(_ items: String) -> String {
    "listeners: [\(items)]\njournal: {directory: j}\n" + endpoints
}

private func listener(_ settings: String) -> String {
    listeners("{address: 127.0.0.1:1, \(settings)}")
}

private func journal(_ settings: String) -> String {
    "listeners: [{address: 127.0.0.1:1}]\njournal: {\(settings)}\n" + endpoints
}

private func admin(_ settings: String) -> String {
    "listeners: [{address: 127.0.0.1:1}]\nadmin: {\(settings)}\njournal: {directory: j}\n"
        + endpoints
}

private func outcome(_ settings: String) -> String {
    admin("address: 127.0.0.1:2") + "outcome: {address: 127.0.0.1:3, \(settings)}\n"
}

private func limits(_ settings: String) -> String {
    head + endpoints + "limits: {\(settings)}\n"
}

@Suite struct MistakeTests {
    /// Exactly this error is reported, with its line, column and message.
    @Test(arguments: topLevel + addresses + numbers)
    func `a mistake is told with its place and a remedy`(_ mistake: Mistake) throws {
        try mistake.expectOnly(environment: [
            "CITCON": "s", "EMPTY": "", "LONG": "0123456789abcdef",
        ])
    }

    @Test(arguments: endpointKeys + paths + credentials + syntax)
    func `a mistake in an endpoint is told with its place and a remedy`(_ mistake: Mistake) throws {
        try mistake.expectOnly(environment: [
            "CITCON": "s", "EMPTY": "", "LONG": "0123456789abcdef",
        ])
    }
}

private let topLevel = [
    Mistake(
        "unknown key at the top", "lisseners: []\n" + head + endpoints, at: 1, 1, "lisseners",
        "unknown", "did you mean `listeners`?"),
    Mistake(
        "misspelt required key is one mistake",
        "listeners: [{address: 127.0.0.1:1}]\njournall: {directory: j}\n" + endpoints, at: 2, 1,
        "journall", "did you mean `journal`?"),
    Mistake(
        "key that resembles nothing", head + endpoints + "zebra: 1\n", at: 5, 1, "zebra",
        "known here",
        "listeners, admin"),
    Mistake(
        "missing journal", "listeners: [{address: 127.0.0.1:1}]\n" + endpoints, at: 1, 1, "journal",
        "missing", "directory: journal"),
    Mistake("missing endpoints", head, at: 1, 1, "endpoints", "missing"),
    Mistake("no endpoint", head + "endpoints: []\n", at: 4, 12, "endpoints", "empty"),
    Mistake(
        "the same key twice", head + "journal: {directory: other}\n" + endpoints, at: 4, 1,
        "journal",
        "twice", "first in line 3"),
    Mistake(
        "the same key twice, once with quotes",
        head + "\"journal\": {directory: other}\n" + endpoints,
        at: 4, 1, "journal", "twice"),
    Mistake(
        "the same key twice, deep down",
        head + "endpoints:\n  - name: citcon\n    path: /a\n    provider: citcon-upi\n"
            + "    secrets: [{file: secrets/citcon}]\n    path: /b\n", at: 9, 5,
        "endpoints[0].path",
        "twice", "first in line 6"),
    Mistake(
        "a list in place of a mapping", head + endpoints + "log: [info]\n", at: 5, 6, "log",
        "a list",
        "log: {key: value}"),
    Mistake(
        "a mapping in place of a list", head + "endpoints: \(citcon)\n", at: 4, 12, "endpoints",
        "a mapping", "not a list"),
    Mistake(
        "unknown log level", head + endpoints + "log: {level: loud}\n", at: 5, 14, "log.level",
        "“loud” is not known", "trace, debug"),
    Mistake(
        "misspelt archive", journal("directory: j, archive: mov"), at: 2,
        34, "journal.archive", "did you mean `move`?"),
]

private let addresses = [
    Mistake(
        "bad address", listeners("{address: localhost:8080}"),
        at: 1, 23, "listeners[0].address", "“localhost:8080”", "127.0.0.1:8080"),
    Mistake(
        "address without port", listeners("{address: 127.0.0.1}"),
        at: 1, 23, "listeners[0].address", "not a valid address"),
    Mistake(
        "relative Unix socket",
        listeners("{address: \"unix:ipnd.sock\"}"), at: 1, 23,
        "listeners[0].address", "unix:/absolute"),
    Mistake(
        "file mode without a file", listener("mode: \"0660\""), at: 1, 42,
        "listeners[0].mode", "only a Unix-domain socket"),
    Mistake(
        "file mode in decimal", listeners("{address: \"unix:/s\", mode: 0689}"), at: 1, 40,
        "listeners[0].mode", "“0689” is not a file mode", "`mode: \"0660\"`"),
    Mistake(
        "file mode with set-uid", listeners("{address: \"unix:/s\", mode: \"4660\"}"), at: 1, 40,
        "listeners[0].mode", "“4660” is not a file mode"),
    Mistake(
        "file mode that lets nobody in", listeners("{address: \"unix:/s\", mode: \"0444\"}"),
        at: 1, 40, "listeners[0].mode", "lets nobody connect"),
    Mistake(
        "two listeners on one address",
        listeners("{address: 127.0.0.1:1}, {address: 127.0.0.1:1}"),
        at: 1, 47, "listeners[1].address", "already used by listeners[0].address"),
    Mistake(
        "admin on a listener's address",
        admin("address: 127.0.0.1:1"), at: 2, 18, "admin.address", "already used"),
    Mistake(
        "a viewer's token alone",
        admin("address: 127.0.0.1:2, viewerToken: {env: CITCON}"), at: 2, 44,
        "admin.viewerToken", "without `token`"),
    Mistake(
        "one token for both",
        admin("address: 127.0.0.1:2, token: {env: CITCON}, viewerToken: {env: CITCON}"),
        at: 2, 66, "admin.viewerToken", "viewers could act"),
    Mistake(
        "a host with a port", admin("address: 127.0.0.1:2, hosts: [\"ipnd.internal:443\"]"),
        at: 2, 39, "admin.hosts[0]", "not the name of a host"),
    Mistake(
        "admin for everybody without a token",
        admin("address: 0.0.0.0:2"), at: 2, 8, "admin", "token is required"),
    Mistake(
        "a list that waits for ever",
        admin("address: 127.0.0.1:2, listWaitMillisecondsMax: 60001"), at: 2, 56,
        "admin.listWaitMillisecondsMax", "out of range", "0 to 60000"),
    Mistake(
        "apps on the admin's address",
        admin("address: 127.0.0.1:3") + "outcome: {address: 127.0.0.1:3, secret: {env: LONG}}\n",
        at: 5, 20, "outcome.address", "already used by admin.address"),
    Mistake(
        "apps without a secret",
        admin("address: 127.0.0.1:2") + "outcome: {address: 127.0.0.1:3}\n",
        at: 5, 10, "outcome.secret", "missing", "secrets/outcome"),
    Mistake(
        "a short secret for apps", outcome("secret: {env: CITCON}"), at: 5, 41, "outcome.secret",
        "shorter than 16 bytes"),
    Mistake(
        "apps without admin",
        listeners("{address: 127.0.0.1:1}")
            + "outcome: {address: 127.0.0.1:3, secret: {env: LONG}}\n", at: 4, 10, "outcome",
        "no `admin` listener"),
    Mistake(
        "a page in place of an origin",
        outcome("secret: {env: LONG}, allowOrigins: [\"https://shop.example/pay\"]"), at: 5, 69,
        "outcome.allowOrigins[0]", "not an origin"),
    Mistake(
        "every origin", outcome("secret: {env: LONG}, allowOrigins: [\"*\"]"), at: 5, 69,
        "outcome.allowOrigins[0]", "not an origin"),
    Mistake(
        "an origin with the scheme's own port",
        outcome("secret: {env: LONG}, allowOrigins: [\"https://shop.example:443\"]"), at: 5, 69,
        "outcome.allowOrigins[0]", "not an origin"),
    Mistake(
        "bad network",
        listener("proxy: {trusted: [10.0.0.0/33], header: forwarded}"), at: 1, 54,
        "listeners[0].proxy.trusted[0]",
        "“10.0.0.0/33” is not a valid network", "CIDR"),
    Mistake(
        "header of nobody trusted",
        listener("proxy: {header: forwarded}"), at: 1, 43, "listeners[0].proxy.trusted", "missing",
        "127.0.0.1/32"),
    Mistake(
        "header and protocol",
        listener("proxy: {trusted: [127.0.0.1], header: forwarded, protocol: proxy}"), at: 1, 43,
        "listeners[0].proxy",
        "both `header` and `protocol`"),
    Mistake(
        "missing certificate",
        listener("tls: {certificate: tls/none.pem, key: tls/key.pem}"), at: 1, 55,
        "listeners[0].tls.certificate",
        "tls/none.pem", "no such file"),
    Mistake(
        "key of another certificate",
        listener("tls: {certificate: tls/cert.pem, key: tls/other-key.pem}"), at: 1, 74,
        "listeners[0].tls.key",
        "not the private key"),
    Mistake(
        "certificate in place of the key",
        listener("tls: {certificate: tls/cert.pem, key: tls/cert.pem}"), at: 1, 55,
        "listeners[0].tls.certificate",
        "PEM"),
]

private let numbers = [
    Mistake(
        "unknown limit", limits("bodyByteMax: 1"), at: 5, 10,
        "limits.bodyByteMax", "did you mean `bodyBytesMax`?"),
    Mistake(
        "zero limit", limits("bodyBytesMax: 0"), at: 5, 24,
        "limits.bodyBytesMax", "out of range", "from 1 to"),
    Mistake(
        "negative limit", limits("bodyBytesMax: -5"), at: 5, 24,
        "limits.bodyBytesMax", "out of range"),
    Mistake(
        "huge limit", limits("bodyBytesMax: 99999999999999999999"), at: 5, 24,
        "limits.bodyBytesMax", "out of range"),
    Mistake(
        "limit with a unit", limits("bodyBytesMax: 1MiB"), at: 5, 24,
        "limits.bodyBytesMax", "“1MiB” is not a whole number"),
    Mistake(
        "octal limit", limits("bodyBytesMax: 010"), at: 5, 24,
        "limits.bodyBytesMax", "not a whole number"),
    Mistake(
        "limit in quotes", limits("bodyBytesMax: \"10\""), at: 5, 24,
        "limits.bodyBytesMax", "not a whole number"),
    Mistake(
        "limit without a value", limits("bodyBytesMax: "), at: 5, 24,
        "limits.bodyBytesMax", "empty"),
    Mistake(
        "dedup memory shorter than a provider's retries",
        journal("directory: j, dedupRetainDays: 7"),
        at: 2, 42, "journal.dedupRetainDays", "from 30 to"),
    Mistake(
        "snapshots never, by their hours",
        journal("directory: j, snapshotHours: 0"),
        at: 2, 40, "journal.snapshotHours", "from 1 to"),
    Mistake(
        "segment that holds no frame",
        journal("directory: j, segmentMiB: 1"), at: 2,
        37, "journal.segmentMiB", "from 2 to"),
    Mistake(
        "segment that holds no longest notification",
        journal("directory: j, segmentMiB: 4"), at: 2,
        37, "journal.segmentMiB", "too small", "at least 16", "524288"),
]

private let endpointKeys = [
    Mistake(
        "unknown provider", head + "endpoints: [{name: a, path: /a, provider: antm}]\n", at: 4, 43,
        "endpoints[0].provider", "“antm” is unknown", "did you mean `antom`?", "citcon-upi"),
    Mistake(
        "missing provider", head + "endpoints: [{name: a, path: /a}]\n", at: 4, 13,
        "endpoints[0].provider", "missing", "antom, "),
    Mistake(
        "two endpoints with one name",
        head
            + "endpoints:\n- \(citcon)\n- {name: citcon, path: /b, \(upi)}\n",
        at: 6, 10, "endpoints[1].name", "already used by endpoints[0].name"),
    Mistake(
        "two endpoints on one path",
        head
            + "endpoints:\n- \(citcon)\n- {name: b, path: /ipn/citcon, \(upi)}\n",
        at: 6, 19, "endpoints[1].path", "already used by endpoints[0].path"),
    Mistake(
        "name with a space",
        head
            + "endpoints: [{name: a b, path: /a, \(upi)}]\n",
        at: 4, 20, "endpoints[0].name", "“a b” is not a valid endpoint name"),
    Mistake(
        "setting of another system",
        citconUPI("clientID: X, secrets: [{env: CITCON}]"),
        at: 4, 55, "endpoints[0].clientID", "citcon-upi has no such setting", "reads secrets"),
    Mistake(
        "bad source network",
        citconUPI("allow: [everyone], secrets: [{env: CITCON}]"),
        at: 4, 63, "endpoints[0].allow[0]", "“everyone” is not a valid network"),
    Mistake(
        "nobody allowed",
        citconUPI("allow: [], secrets: [{env: CITCON}]"),
        at: 4, 62, "endpoints[0].allow", "empty"),
]

private func path(_ text: String, _ words: String) -> Mistake {
    let yaml =
        head
        + "endpoints: [{name: a, path: \"\(text)\", \(upi)}]\n"
    return Mistake("path \(text.prefix(12))", yaml, at: 4, 29, "endpoints[0].path", words)
}

private let paths = [
    path("ipn/antom", "slash"), path("/a?b=c", "query"), path("/a#b", "fragment"),
    path("/a%20b", "percent"), path("/a b", "character"), path("/ä", "character"),
    path("/a//b", "empty segment"), path("/a/../b", "dot segment"), path("/.", "dot segment"),
    path("", "empty"), path("/\(String(repeating: "a", count: 1024))", "1024"),
]

private let credentials = [
    Mistake(
        "misspelt secrets are one mistake", citconUPI("secret: [{env: CITCON}]"), at: 4, 55,
        "endpoints[0].secret", "did you mean `secrets`?"),
    Mistake(
        "missing secret file",
        citconUPI("secrets: [{file: secrets/none}]"),
        at: 4, 72, "endpoints[0].secrets[0].file", "secrets/none does not exist"),
    Mistake(
        "empty secret file",
        citconUPI("secrets: [{file: secrets/empty}]"),
        at: 4, 72, "endpoints[0].secrets[0].file", "empty"),
    Mistake(
        "directory in place of a secret file",
        citconUPI("secrets: [{file: secrets}]"),
        at: 4, 72, "endpoints[0].secrets[0].file", "not a regular file"),
    Mistake(
        "unset variable",
        citconUPI("secrets: [{env: NOWHERE}]"),
        at: 4, 71, "endpoints[0].secrets[0].env", "variable NOWHERE is not set"),
    Mistake(
        "empty variable",
        citconUPI("secrets: [{env: EMPTY}]"),
        at: 4, 71, "endpoints[0].secrets[0].env", "variable EMPTY is empty"),
    Mistake(
        "secret in place",
        citconUPI("secrets: [hunter2]"), at: 4, 65,
        "endpoints[0].secrets[0]", "must not be written", "{file: path}"),
    Mistake(
        "file and variable",
        citconUPI("secrets: [{file: secrets/citcon, env: X}]"),
        at: 4, 65, "endpoints[0].secrets[0]", "both `file` and `env`"),
    Mistake(
        "no secret", citconUPI(""), at: 4, 13,
        "endpoints[0].secrets", "secret"),
    Mistake(
        "private key given as public",
        antom("keys: [{version: 1, publicKey: {file: keys/private.pem}}]"),
        at: 4, 106, "endpoints[0].keys[0].publicKey", "private key"),
    Mistake(
        "key of another kind",
        antom("keys: [{version: 1, publicKey: {file: keys/ec.pem}}]"), at: 4,
        106, "endpoints[0].keys[0].publicKey", "RSA"),
    Mistake(
        "file that is no key",
        antom("keys: [{version: 1, publicKey: {file: keys/nonsense.pem}}]"),
        at: 4, 106, "endpoints[0].keys[0].publicKey", "Base64"),
    Mistake(
        "key without a version",
        antom("keys: [{publicKey: {file: keys/antom.pem}}]"), at: 4, 82,
        "endpoints[0].keys[0].version", "missing"),
    Mistake(
        "one version twice", antom("keys: [\(key), \(key)]"), at: 4, 141,
        "endpoints[0].keys[1].version", "twice"),
    Mistake(
        "no client id",
        head + "endpoints: [{name: a, path: /a, provider: antom, keys: [\(key)]}]\n", at: 4, 13,
        "endpoints[0].clientID", "client id"),
]

private let syntax = [
    Mistake(
        "bracket that nobody closes", head + "endpoints: [{name: a\nlimits: {}\n", at: 5, 7, "",
        "not YAML"),
    Mistake(
        "tab for indentation", head + endpoints + "log:\n\tlevel: info\n", at: 6, 1, "",
        "not YAML"),
    Mistake(
        "a list as the whole file", "- a\n", at: 1, 1, "", "the file is a list"),
    Mistake(
        "an undefined alias", head + endpoints + "log: *nothing\n", at: 5, 6, "", "alias"),
]
