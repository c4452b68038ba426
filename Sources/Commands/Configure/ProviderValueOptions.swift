import ArgumentParser
import Glibc
import Platform
import Providers
import ServerConfiguration

/// The provider's settings, as options; what is missing is asked for.
struct ProviderValueOptions: ParsableArguments {
    @Option(
        help: """
            A setting of the provider, as key=value; config/providers.md lists them; may be \
            repeated.
            """)
    var set: [String] = []
    @Option(help: "The provider's secret: a file, or - for standard input.", completion: .file())
    var secretFile: String?
    @Option(help: "The provider's public key: a file, or -.", completion: .file())
    var publicKey: String?
    @Option(help: "The version shown beside the public key (default: 1).") var keyVersion: Int?
    @Option(help: "The serial number or id shown beside the public key.") var keySerial: String?
    @Option(help: "The same as --set clientID=…") var clientID: String?
    @Option(help: "The same as --set projectID=…") var projectID: String?
    @Option(help: "The same as --set mode=…", completion: .list(["live", "test"]))
    var mode: String?
    @Option(help: "The header that carries the signature, where you describe it yourself.")
    var header: String?
    @Option(help: "Its hash function (default: sha256).") var algorithm: String?
    @Option(help: "Its encoding, hex or base64 (default: hex).")
    var encoding: String?
    @Option(
        help: """
            Where a fact is in the body, such as reference=/data/order; also \
            identity, transaction, status, amount, currency, occurred; may be repeated.
            """)
    var field: [String] = []
    @Option(
        help: """
            The meaning of a word of `status`, such as payment.done=paid; may be repeated.
            """)
    var statusWord: [String] = []

    func validate() throws {
        for text in set + field + statusWord where !text.dropFirst().contains("=") {
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

    /// The values that options give, by key, each with the option that gives or would give it.
    private func given(_ key: String) -> (value: String?, option: String) {
        let aliases = [
            "clientID": (clientID, "--client-id"), "projectID": (projectID, "--project-id"),
            "mode": (mode, "--mode"),
        ]
        let (alias, option) = aliases[key] ?? (nil, "--set \(key)=…")
        let value = set.map { Self.pair($0) }.last { $0.0 == key }?.1
        return (value ?? alias, option)
    }

    /// The members of the endpoint after `provider:`.
    func settings(
        _ provider: ProviderDescriptor, _ name: String, _ prompt: Prompt, _ check: AnswerCheck
    ) throws -> [YAMLPiece.Member] {
        let rows = provider.rows(.endpoint)
        try checkNames(rows)
        let reference = YAMLPiece.flow([
            .init("file", .text(EndpointAddition.credentialPath(provider, name)))
        ])
        return try rows.compactMap { row in
            let piece: YAMLPiece? =
                switch row.kind {
                case .publicKeys(.version): try publicKeys(reference, prompt)
                case .publicKeys(.serial): try namedKeys(reference, prompt)
                case .publicKeys(.unnamed): .list([reference])
                case .secrets where provider.credential == .rsaKeyPair:
                    row.isText ? try text(row, prompt, check).map { .list([$0]) } : nil
                case .secrets: .list([reference])
                case .signatureScheme: try scheme(prompt)
                case .fieldMapping: try fields(prompt)
                default: try text(row, prompt, check)
                }
            return piece.map { YAMLPiece.Member(row.key, $0) }
        }
    }

    private func checkNames(_ rows: [SettingRow]) throws {
        for (key, _) in set.map({ Self.pair($0) })
        where !rows.contains(where: { $0.key == key && $0.isText }) {
            throw ValidationError(
                "--set: "
                    + KnownNames.complaint(
                        "setting", key, among: rows.filter(\.isText).map(\.key)))
        }
    }

    /// The settings that options change at an existing endpoint, and on a terminal those that are
    /// answered; an empty answer keeps the present value.
    func changes(
        _ provider: ProviderDescriptor, _ prompt: Prompt, _ check: AnswerCheck
    ) throws -> [(key: String, value: String)] {
        let rows = provider.rows(.endpoint)
        try checkNames(rows)
        var changes: [(key: String, value: String)] = []
        for row in rows where row.isText {
            let (value, option) = given(row.key)
            if let value {
                changes.append((row.key, value))
            } else if prompt.canAsk, let question = row.prompt {
                let answer = try prompt.text(
                    "\(question) (empty: as it is)", nil, default: "", option: option
                ) { check.problem($0, row) }
                if !answer.isEmpty { changes.append((row.key, answer)) }
            }
        }
        return changes
    }

    private func publicKeys(_ reference: YAMLPiece, _ prompt: Prompt) throws -> YAMLPiece {
        let version = try prompt.text(
            "Version of the key", keyVersion.map { "\($0)" }, default: "1",
            option: "--key-version")
        guard let number = Int(version) else {
            throw AddCommand.failure("“\(version)” is not a key version", EX_USAGE)
        }
        return .list([.flow([.init("version", .number(number)), .init("publicKey", reference)])])
    }

    private func namedKeys(_ reference: YAMLPiece, _ prompt: Prompt) throws -> YAMLPiece {
        let serial = try prompt.text(
            "Serial number or id of the key", keySerial, option: "--key-serial")
        return .list([.flow([.init("serial", .text(serial)), .init("publicKey", reference)])])
    }

    private func scheme(_ prompt: Prompt) throws -> YAMLPiece {
        let header = try prompt.text(
            "Header that carries the signature", header, option: "--header")
        return .flow([
            .init("header", .text(header)), .init("algorithm", .text(algorithm ?? "sha256")),
            .init("encoding", .text(encoding ?? "hex")),
        ])
    }

    /// The value of a setting that is one word or a list of words; nil where it is left out.
    private func text(
        _ row: SettingRow, _ prompt: Prompt, _ check: AnswerCheck
    ) throws -> YAMLPiece? {
        var (value, option) = given(row.key)
        if value == nil, let prompted = row.prompt {
            let question = row.isSecretFile ? "A file with \(prompted)" : prompted
            value = try prompt.text(question, nil, default: row.standard, option: option) {
                check.problem($0, row)
            }
        }
        guard let value else { return nil }
        switch row.kind {
        case .texts:
            return .list(
                value.split(separator: ",").map { .text(String($0)) })
        case .secret, .secrets: return .flow([.init("file", .text(value))])
        case .networks:
            return .flow([
                .init("allow", .list(value.split(separator: ",").map { .text(String($0)) }))
            ])
        default: return Int(value).map { .number($0) } ?? .text(value)
        }
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

    /// The key or secret, with the line end of a file; nil where the endpoint holds none.
    ///
    /// - Parameter isMending: Whether none keeps the present one.
    func credential(
        _ provider: ProviderDescriptor, _ prompt: Prompt, _ check: AnswerCheck,
        isMending: Bool = false
    ) throws -> [UInt8]? {
        if provider.credential == .certificate { return nil }
        if isMending, publicKey == nil, secretFile == nil {
            guard prompt.canAsk else { return nil }
            let question = "Another key or secret, as a file (empty: as it is)"
            let path = try prompt.text(question, nil, default: "", option: "--secret-file") {
                path in
                (try? Self.contents(path, "")).map(check.problem(withCredential:))
                    ?? "\(path) cannot be read"
            }
            return path.isEmpty ? nil : try Self.contents(path, "--secret-file")
        }
        if provider.credential == .rsaKeyPair {
            guard let publicKey else {
                let line = try prompt.text(
                    "\(provider.title)'s public key (\(check.credentialForm), or a file)", nil,
                    option: "--public-key"
                ) { answer in
                    check.problem(withCredential: Self.keyOrFile(answer))
                }
                let bytes = Self.keyOrFile(line)
                if bytes.last == UInt8(ascii: "\n") { return bytes }
                return Array("\(line)\n".utf8)
            }
            return try Self.contents(publicKey, "--public-key")
        }
        guard let secretFile else {
            let secret = try prompt.secret(
                "\(provider.title)'s secret, \(check.credentialForm)", option: "--secret-file"
            ) { check.problem(withCredential: Array($0.utf8)) }
            return Array("\(secret)\n".utf8)
        }
        return try Self.contents(secretFile, "--secret-file")
    }

    /// The key itself, or what the file of this path holds: people paste either.
    private static func keyOrFile(_ answer: String) -> [UInt8] {
        let isFile = answer.contains("/") && !answer.contains(" ") && access(answer, R_OK) == 0
        return (isFile ? try? contents(answer, "") : nil) ?? Array(answer.utf8)
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

extension SettingRow {
    /// Whether `--set` can give its value.
    fileprivate var isText: Bool {
        switch kind {
        case .text, .choice, .integer, .texts, .networks, .secret, .certificates: true
        // Secrets that are not the credential, which has options of its own.
        case .secrets: prompt != nil
        default: false
        }
    }

    /// Whether the value is the path of a file with a secret.
    fileprivate var isSecretFile: Bool {
        switch kind {
        case .secret, .secrets: true
        default: false
        }
    }
}
