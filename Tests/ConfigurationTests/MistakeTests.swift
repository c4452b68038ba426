import Testing

@testable import Configuration

/// One mistake: the configuration, where it is told, and words that the message must have.
struct Mistake: Sendable, CustomTestStringConvertible {
    let name: String
    let yaml: String
    let line: Int
    let column: Int
    let key: String
    let words: [String]

    init(_ name: String, _ yaml: String, at line: Int, _ column: Int, _ key: String, _ words: String...)
    {
        self.name = name
        self.yaml = yaml
        self.line = line
        self.column = column
        self.key = key
        self.words = words
    }

    var testDescription: String { name }
}

/// A configuration without mistakes in lines 1 to 3; endpoints follow.
private let head = """
    listeners: [{address: 127.0.0.1:8080}]
    admin: {address: 127.0.0.1:9090, token: {file: secrets/admin-token}}
    journal: {directory: journal}

    """

/// An endpoint without mistakes, at any indentation.
private let citcon = "{name: citcon, path: /ipn/citcon, provider: citcon-upi, secrets: [{file: secrets/citcon}]}"
private let endpoints = "endpoints: [\(citcon)]\n"
private let antom = "name: antom, path: /ipn/antom, provider: antom, clientID: C"
private let key = "{version: 1, publicKey: {file: keys/antom.pem}}"

struct MistakeTests {
    /// Exactly this one mistake is reported, at its line and column, with its words.
    @Test(arguments: topLevel + listeners + numbers)
    func `a mistake is told with its place and a remedy`(_ mistake: Mistake) throws {
        try expectOnly(mistake)
    }

    @Test(arguments: endpointKeys + paths + credentials + syntax)
    func `a mistake in an endpoint is told with its place and a remedy`(_ mistake: Mistake) throws {
        try expectOnly(mistake)
    }

    private func expectOnly(_ mistake: Mistake) throws {
        let folder = try TemporaryFolder.filled()
        let result = try folder.load(
            mistake.yaml, environment: ["CITCON": "s", "EMPTY": ""])
        guard case .failure(let error) = result else {
            Issue.record("no mistake was found")
            return
        }
        #expect(error.mistakes.count == 1, "\(error)")
        let found = try #require(error.mistakes.first)
        #expect(found.line == mistake.line, "\(found)")
        #expect(found.column == mistake.column, "\(found)")
        #expect(found.key == mistake.key, "\(found)")
        for words in mistake.words {
            #expect("\(found)".contains(words), "\(found)")
        }
        #expect("\(found)".hasPrefix("\(folder.path)/ipnd.yaml:\(mistake.line):\(mistake.column): "))
        #expect(!found.remedy.isEmpty)
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
        "key that resembles nothing", head + endpoints + "zebra: 1\n", at: 5, 1, "zebra", "known here",
        "listeners, admin"),
    Mistake(
        "missing journal", "listeners: [{address: 127.0.0.1:1}]\n" + endpoints, at: 1, 1, "journal",
        "missing", "directory: journal"),
    Mistake("missing endpoints", head, at: 1, 1, "endpoints", "missing"),
    Mistake("no endpoint", head + "endpoints: []\n", at: 4, 12, "endpoints", "empty"),
    Mistake(
        "the same key twice", head + "journal: {directory: other}\n" + endpoints, at: 4, 1, "journal",
        "twice", "first in line 3"),
    Mistake(
        "the same key twice, once with quotes", head + "\"journal\": {directory: other}\n" + endpoints,
        at: 4, 1, "journal", "twice"),
    Mistake(
        "the same key twice, deep down",
        head + "endpoints:\n  - name: citcon\n    path: /a\n    provider: citcon-upi\n"
            + "    secrets: [{file: secrets/citcon}]\n    path: /b\n", at: 9, 5, "endpoints[0].path",
        "twice", "first in line 6"),
    Mistake(
        "a list in place of a mapping", head + endpoints + "log: [info]\n", at: 5, 6, "log", "a list",
        "log: {key: value}"),
    Mistake(
        "a mapping in place of a list", head + "endpoints: \(citcon)\n", at: 4, 12, "endpoints",
        "a mapping", "not a list"),
    Mistake(
        "unknown log level", head + endpoints + "log: {level: loud}\n", at: 5, 14, "log.level",
        "“loud” is not known", "trace, debug"),
    Mistake(
        "misspelt archive", "listeners: [{address: 127.0.0.1:1}]\njournal: {directory: j, archive: mov}\n" + endpoints, at: 2,
        34, "journal.archive", "did you mean `move`?"),
]

private let listeners = [
    Mistake(
        "bad address", "listeners: [{address: localhost:8080}]\njournal: {directory: j}\n" + endpoints,
        at: 1, 23, "listeners[0].address", "“localhost:8080”", "127.0.0.1:8080"),
    Mistake(
        "address without port", "listeners: [{address: 127.0.0.1}]\njournal: {directory: j}\n" + endpoints,
        at: 1, 23, "listeners[0].address", "no address"),
    Mistake(
        "relative Unix socket",
        "listeners: [{address: \"unix:ipnd.sock\"}]\njournal: {directory: j}\n" + endpoints, at: 1, 23,
        "listeners[0].address", "unix:/absolute"),
    Mistake(
        "two listeners on one address",
        "listeners: [{address: 127.0.0.1:1}, {address: 127.0.0.1:1}]\njournal: {directory: j}\n" + endpoints,
        at: 1, 47, "listeners[1].address", "taken already by listeners[0].address"),
    Mistake(
        "admin on a listener's address",
        "listeners: [{address: 127.0.0.1:1}]\nadmin: {address: 127.0.0.1:1}\njournal: {directory: j}\n"
            + endpoints, at: 2, 18, "admin.address", "taken already"),
    Mistake(
        "admin for everybody without a token",
        "listeners: [{address: 127.0.0.1:1}]\nadmin: {address: 0.0.0.0:2}\njournal: {directory: j}\n"
            + endpoints, at: 2, 8, "admin", "token is required"),
    Mistake(
        "bad network",
        "listeners: [{address: 127.0.0.1:1, proxy: {trusted: [10.0.0.0/33], header: forwarded}}]\n"
            + "journal: {directory: j}\n" + endpoints, at: 1, 54, "listeners[0].proxy.trusted[0]",
        "“10.0.0.0/33” is no network", "CIDR"),
    Mistake(
        "header of nobody trusted",
        "listeners: [{address: 127.0.0.1:1, proxy: {header: forwarded}}]\njournal: {directory: j}\n"
            + endpoints, at: 1, 43, "listeners[0].proxy.trusted", "missing", "127.0.0.1/32"),
    Mistake(
        "header and protocol",
        "listeners: [{address: 127.0.0.1:1, proxy: {trusted: [127.0.0.1], header: forwarded, protocol: proxy}}]\n"
            + "journal: {directory: j}\n" + endpoints, at: 1, 43, "listeners[0].proxy",
        "both `header` and `protocol`"),
    Mistake(
        "missing certificate",
        "listeners: [{address: 127.0.0.1:1, tls: {certificate: tls/none.pem, key: tls/key.pem}}]\n"
            + "journal: {directory: j}\n" + endpoints, at: 1, 55, "listeners[0].tls.certificate",
        "tls/none.pem", "no such file"),
    Mistake(
        "key of another certificate",
        "listeners: [{address: 127.0.0.1:1, tls: {certificate: tls/cert.pem, key: tls/other-key.pem}}]\n"
            + "journal: {directory: j}\n" + endpoints, at: 1, 74, "listeners[0].tls.key",
        "not the private key"),
    Mistake(
        "certificate in place of the key",
        "listeners: [{address: 127.0.0.1:1, tls: {certificate: tls/cert.pem, key: tls/cert.pem}}]\n"
            + "journal: {directory: j}\n" + endpoints, at: 1, 55, "listeners[0].tls.certificate",
        "PEM"),
]

private let numbers = [
    Mistake(
        "unknown limit", head + endpoints + "limits: {bodyByteMax: 1}\n", at: 5, 10,
        "limits.bodyByteMax", "did you mean `bodyBytesMax`?"),
    Mistake(
        "zero limit", head + endpoints + "limits: {bodyBytesMax: 0}\n", at: 5, 24,
        "limits.bodyBytesMax", "out of range", "from 1 to"),
    Mistake(
        "negative limit", head + endpoints + "limits: {bodyBytesMax: -5}\n", at: 5, 24,
        "limits.bodyBytesMax", "out of range"),
    Mistake(
        "huge limit", head + endpoints + "limits: {bodyBytesMax: 99999999999999999999}\n", at: 5, 24,
        "limits.bodyBytesMax", "out of range"),
    Mistake(
        "limit with a unit", head + endpoints + "limits: {bodyBytesMax: 1MiB}\n", at: 5, 24,
        "limits.bodyBytesMax", "“1MiB” is not a whole number"),
    Mistake(
        "octal limit", head + endpoints + "limits: {bodyBytesMax: 010}\n", at: 5, 24,
        "limits.bodyBytesMax", "not a whole number"),
    Mistake(
        "limit in quotes", head + endpoints + "limits: {bodyBytesMax: \"10\"}\n", at: 5, 24,
        "limits.bodyBytesMax", "not a whole number"),
    Mistake(
        "limit without a value", head + endpoints + "limits: {bodyBytesMax: }\n", at: 5, 24,
        "limits.bodyBytesMax", "empty"),
    Mistake(
        "dedup memory shorter than a provider's retries",
        "listeners: [{address: 127.0.0.1:1}]\njournal: {directory: j, dedupRetainDays: 7}\n" + endpoints,
        at: 2, 42, "journal.dedupRetainDays", "from 30 to"),
    Mistake(
        "segment that holds no frame",
        "listeners: [{address: 127.0.0.1:1}]\njournal: {directory: j, segmentMiB: 1}\n" + endpoints, at: 2,
        37, "journal.segmentMiB", "from 16 to"),
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
        head + "endpoints:\n- \(citcon)\n- {name: citcon, path: /b, provider: citcon-upi, secrets: [{env: CITCON}]}\n",
        at: 6, 10, "endpoints[1].name", "taken already by endpoints[0].name"),
    Mistake(
        "two endpoints on one path",
        head + "endpoints:\n- \(citcon)\n- {name: b, path: /ipn/citcon, provider: citcon-upi, secrets: [{env: CITCON}]}\n",
        at: 6, 19, "endpoints[1].path", "taken already by endpoints[0].path"),
    Mistake(
        "name with a space", head + "endpoints: [{name: a b, path: /a, provider: citcon-upi, secrets: [{env: CITCON}]}]\n",
        at: 4, 20, "endpoints[0].name", "“a b” is no name"),
    Mistake(
        "setting of another system",
        head + "endpoints: [{name: a, path: /a, provider: citcon-upi, clientID: X, secrets: [{env: CITCON}]}]\n",
        at: 4, 55, "endpoints[0].clientID", "citcon-upi has no such setting", "reads secrets"),
    Mistake(
        "bad source network",
        head + "endpoints: [{name: a, path: /a, provider: citcon-upi, allow: [everyone], secrets: [{env: CITCON}]}]\n",
        at: 4, 63, "endpoints[0].allow[0]", "“everyone” is no network"),
    Mistake(
        "nobody allowed",
        head + "endpoints: [{name: a, path: /a, provider: citcon-upi, allow: [], secrets: [{env: CITCON}]}]\n",
        at: 4, 62, "endpoints[0].allow", "empty"),
]

private func path(_ text: String, _ words: String) -> Mistake {
    let yaml =
        head + "endpoints: [{name: a, path: \"\(text)\", provider: citcon-upi, secrets: [{env: CITCON}]}]\n"
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
        "missing secret file",
        head + "endpoints: [{name: a, path: /a, provider: citcon-upi, secrets: [{file: secrets/none}]}]\n",
        at: 4, 72, "endpoints[0].secrets[0].file", "secrets/none does not exist"),
    Mistake(
        "empty secret file",
        head + "endpoints: [{name: a, path: /a, provider: citcon-upi, secrets: [{file: secrets/empty}]}]\n",
        at: 4, 72, "endpoints[0].secrets[0].file", "empty"),
    Mistake(
        "directory in place of a secret file",
        head + "endpoints: [{name: a, path: /a, provider: citcon-upi, secrets: [{file: secrets}]}]\n",
        at: 4, 72, "endpoints[0].secrets[0].file", "not a regular file"),
    Mistake(
        "unset variable",
        head + "endpoints: [{name: a, path: /a, provider: citcon-upi, secrets: [{env: NOWHERE}]}]\n",
        at: 4, 71, "endpoints[0].secrets[0].env", "“NOWHERE” is not set"),
    Mistake(
        "empty variable",
        head + "endpoints: [{name: a, path: /a, provider: citcon-upi, secrets: [{env: EMPTY}]}]\n",
        at: 4, 71, "endpoints[0].secrets[0].env", "“EMPTY” is empty"),
    Mistake(
        "secret in place",
        head + "endpoints: [{name: a, path: /a, provider: citcon-upi, secrets: [hunter2]}]\n", at: 4, 65,
        "endpoints[0].secrets[0]", "must not stand", "{file: path}"),
    Mistake(
        "file and variable",
        head + "endpoints: [{name: a, path: /a, provider: citcon-upi, secrets: [{file: secrets/citcon, env: X}]}]\n",
        at: 4, 65, "endpoints[0].secrets[0]", "both `file` and `env`"),
    Mistake(
        "no secret", head + "endpoints: [{name: a, path: /a, provider: citcon-upi}]\n", at: 4, 13,
        "endpoints[0].secrets", "secret"),
    Mistake(
        "private key given as public",
        head + "endpoints: [{\(antom), keys: [{version: 1, publicKey: {file: keys/private.pem}}]}]\n",
        at: 4, 106, "endpoints[0].keys[0].publicKey", "private key"),
    Mistake(
        "key of another kind",
        head + "endpoints: [{\(antom), keys: [{version: 1, publicKey: {file: keys/ec.pem}}]}]\n", at: 4,
        106, "endpoints[0].keys[0].publicKey", "RSA"),
    Mistake(
        "file that is no key",
        head + "endpoints: [{\(antom), keys: [{version: 1, publicKey: {file: keys/nonsense.pem}}]}]\n",
        at: 4, 106, "endpoints[0].keys[0].publicKey", "Base64"),
    Mistake(
        "key without a version",
        head + "endpoints: [{\(antom), keys: [{publicKey: {file: keys/antom.pem}}]}]\n", at: 4, 82,
        "endpoints[0].keys[0].version", "missing"),
    Mistake(
        "one version twice", head + "endpoints: [{\(antom), keys: [\(key), \(key)]}]\n", at: 4, 141,
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
    Mistake("tab for indentation", head + endpoints + "log:\n\tlevel: info\n", at: 6, 1, "", "not YAML"),
    Mistake(
        "a list as the whole file", "- a\n", at: 1, 1, "", "the file is a list"),
    Mistake(
        "an undefined alias", head + endpoints + "log: *nothing\n", at: 5, 6, "", "alias"),
]
