import ArgumentParser
import Configuration
import Glibc
import Platform
import Providers

/// What an endpoint needs beside name and path, as options; what is missing is asked for.
struct ProviderValueOptions: ParsableArguments {
    @Option(help: "The provider's secret: a file, or - for standard input.", completion: .file())
    var secretFile: String?
    @Option(help: "Antom: its public key, a file or -.", completion: .file())
    var publicKey: String?
    @Option(help: "Antom: the version shown beside the key (default: 1).") var keyVersion: Int?
    @Option(help: "Antom: the client id.") var clientID: String?
    @Option(help: "ecommpay: the project id.") var projectID: String?
    @Option(help: "Open Payment Platform: live or test.", completion: .list(["live", "test"]))
    var mode: String?
    @Option(help: "hmac: the header that carries the signature.") var header: String?
    @Option(help: "hmac: the hash function (default: sha256).") var algorithm: String?
    @Option(help: "hmac: how the signature is written, hex or base64 (default: hex).")
    var encoding: String?
    @Option(
        help: """
            hmac, standard-webhooks: where a fact stands in the body, such as \
            reference=/data/order; also identity, transaction, status, amount, currency, \
            occurred; may be repeated.
            """)
    var field: [String] = []
    @Option(
        help: """
            hmac, standard-webhooks: what a word of `status` means, such as payment.done=paid; \
            may be repeated.
            """)
    var statusWord: [String] = []

    func validate() throws {
        for text in field + statusWord where !text.dropFirst().contains("=") {
            throw ValidationError("“\(text)” is not of the form name=value")
        }
        for text in field {
            let name = Self.pair(text).0
            guard Self.places.contains(where: { $0.name == name }) else {
                throw ValidationError(
                    "--field: "
                        + KnownNames.complaint("fact", name, among: Self.places.map(\.name)))
            }
        }
    }

    /// The facts that can be mapped; those with a question are asked for.
    private static let places: [(name: String, question: String?, example: String)] = [
        ("identity", "JSON pointer to the event's id", "/id"),
        ("reference", "JSON pointer to your order reference", "/reference"),
        ("transaction", "JSON pointer to the payment's id", "/transaction"),
        ("status", "JSON pointer to the word that tells the status", "/status"),
        ("amount", "JSON pointer to the amount", "/amount"),
        ("currency", "JSON pointer to the currency, or three letters", "/currency"),
        ("occurred", nil, ""),
    ]

    /// At the last equals sign of a word, which may hold others, and at the first of a name.
    private static func pair(_ text: String, last: Bool = false) -> (String, String) {
        guard let mark = last ? text.lastIndex(of: "=") : text.firstIndex(of: "=") else {
            return (text, "")
        }
        return (String(text[..<mark]), String(text[text.index(after: mark)...]))
    }

    /// The members of the endpoint that stand behind `provider:`.
    func settings(
        _ provider: ProviderDescriptor, _ name: String, _ prompt: Prompt
    ) throws -> [YAMLPiece.Member] {
        let keys = provider.settingsKeys
        var members: [YAMLPiece.Member] = []
        if keys.contains("clientID") {
            let text = try prompt.text("Client id", clientID, option: "--client-id")
            members.append(.init("clientID", .text(text)))
        }
        let reference = YAMLPiece.flow([
            .init("file", .text(EndpointAddition.credentialPath(provider, name)))
        ])
        if provider.credential == .rsaKeyPair {
            let version = try prompt.text(
                "Version of the key", keyVersion.map { "\($0)" }, default: "1",
                option: "--key-version")
            guard let number = Int(version) else {
                throw AddCommand.failure("“\(version)” is not a key version", EX_USAGE)
            }
            members.append(
                .init(
                    "keys",
                    .list([
                        .flow([.init("version", .number(number)), .init("publicKey", reference)])
                    ])))
        } else {
            members.append(.init("secrets", .list([reference])))
        }
        if keys.contains("projectID") {
            let text = try prompt.text("Project id", projectID, option: "--project-id")
            members.append(.init("projectID", Int(text).map { .number($0) } ?? .text(text)))
        }
        if keys.contains("mode") {
            let text = try prompt.text(
                "live or test", mode, default: "live", option: "--mode")
            members.append(.init("mode", .text(text)))
        }
        if keys.contains("hmac") {
            let header = try prompt.text(
                "Header that carries the signature", header, option: "--header")
            members.append(
                .init(
                    "hmac",
                    .flow([
                        .init("header", .text(header)),
                        .init("algorithm", .text(algorithm ?? "sha256")),
                        .init("encoding", .text(encoding ?? "hex")),
                    ])))
        }
        if keys.contains("fields") { members.append(.init("fields", try fields(prompt))) }
        return members
    }

    private func fields(_ prompt: Prompt) throws -> YAMLPiece {
        let given = Dictionary(field.map { Self.pair($0) }, uniquingKeysWith: { $1 })
        var members: [YAMLPiece.Member] = []
        for (name, question, example) in Self.places {
            guard given[name] != nil || question != nil else { continue }
            let text = try prompt.text(
                question ?? name, given[name], default: example, option: "--field \(name)=…")
            members.append(
                .init(name, name == "identity" ? .list([.text(text)]) : .text(text)))
        }
        var words = statusWord.map { Self.pair($0, last: true) }
        if words.isEmpty {
            let known = EventType.allCases.map(\.rawValue).joined(separator: ", ")
            let text = try prompt.text(
                "Words of the status, such as done=paid rejected=failed (known: \(known))", nil,
                option: "--status-word")
            words = text.split(separator: " ").map { Self.pair(String($0), last: true) }
        }
        members.append(
            .init("statuses", .flow(words.map { .init($0, .text($1)) })))
        return .block(members)
    }

    /// The key or secret, with the line end of a file.
    func credential(_ provider: ProviderDescriptor, _ prompt: Prompt) throws -> [UInt8] {
        if provider.credential == .rsaKeyPair {
            guard let publicKey else {
                let line = try prompt.text(
                    "\(provider.title)'s public key (Base64 on one line)", nil,
                    option: "--public-key")
                return Array("\(line)\n".utf8)
            }
            return try Self.contents(publicKey, "--public-key")
        }
        guard let secretFile else {
            let secret = try prompt.secret("\(provider.title)'s secret", option: "--secret-file")
            return Array("\(secret)\n".utf8)
        }
        return try Self.contents(secretFile, "--secret-file")
    }

    private static func contents(_ path: String, _ option: String) throws -> [UInt8] {
        do throws(FileContents.Problem) {
            let bytes = try FileContents(
                path: path == "-" ? "/dev/stdin" : path, bytesMax: 65_536, allowsPipes: true
            ).bytes
            return bytes.last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")]
        } catch {
            throw AddCommand.failure("\(option): \(path) \(error.clause)", EX_NOINPUT)
        }
    }
}
