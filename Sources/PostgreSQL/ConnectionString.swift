import CPostgreSQL

/// A connection string or URI in libpq's syntax (PostgreSQL documentation, 34.1.1), checked for its
/// form. It may hold a password, so it is never shown as a whole.
package struct ConnectionString: Sendable, Equatable {
    /// A fault of the text.
    package enum Mistake: Error, Sendable, Equatable {
        /// An option that libpq does not have. Its name may be part of a value that was not quoted:
        /// do not show it.
        case unknownOption(String)
        /// Neither `key=value …` nor a URI.
        case form
    }

    /// The options that the text sets.
    let options: [String: String]
    /// The values that must not be shown.
    let secrets: [String]

    package init(_ text: String) throws(Mistake) {
        var message: UnsafeMutablePointer<CChar>?
        guard !text.utf8.contains(0), let parsed = PQconninfoParse(text, &message) else {
            defer { PQfreemem(message) }
            throw Self.mistake(message.map { String(cString: $0) } ?? "")
        }
        defer { PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var secrets: [String] = []
        for option in ConninfoOptions(first: parsed) {
            guard let value = option.value else { continue }
            options[option.name] = value
            if option.isSecret && !value.isEmpty { secrets.append(value) }
        }
        self.options = options
        self.secrets = secrets
    }

    /// libpq's message is not passed on, because it may quote a password that was not escaped.
    private static func mistake(_ message: String) -> Mistake {
        let isUnknown = [#"invalid connection option ""#, #"invalid URI query parameter: ""#]
            .contains { message.hasPrefix($0) }
        let quoted = message.split(separator: "\"", omittingEmptySubsequences: false)
        guard isUnknown, quoted.count > 2 else { return .form }
        return .unknownOption(String(quoted[1]))
    }

    /// The names of libpq's options.
    package static let knownOptions: [String] = {
        guard let defaults = PQconndefaults() else { return [] }
        defer { PQconninfoFree(defaults) }
        return ConninfoOptions(first: defaults).map(\.name)
    }()
}

extension ConnectionString: CustomStringConvertible {
    /// `shop@db1:5432,db2:5432/payments`: the user, hosts and database that the text sets.
    package var description: String {
        if let service = options["service"] { return "service \(service)" }
        let hosts = HostList(options).hosts.map(\.description).joined(separator: ",")
        let user = options["user"].map { "\($0)@" } ?? ""
        let database = options["dbname"].map { "/\($0)" } ?? ""
        return user + hosts + database
    }
}

/// One of libpq's options with its value.
struct ConninfoOption {
    let name: String
    let value: String?
    let isSecret: Bool
}

/// Iterates over libpq's array of options, which ends with an element without a name.
struct ConninfoOptions: Sequence, IteratorProtocol {
    private var place: UnsafeMutablePointer<PQconninfoOption>

    init(first: UnsafeMutablePointer<PQconninfoOption>) { place = first }

    mutating func next() -> ConninfoOption? {
        guard let name = place.pointee.keyword else { return nil }
        defer { place += 1 }
        // "*": a password field (libpq-fe.h, `dispchar`).
        let isSecret = place.pointee.dispchar.map { String(cString: $0).contains("*") } ?? false
        return ConninfoOption(
            name: String(cString: name), value: place.pointee.val.map { String(cString: $0) },
            isSecret: isSecret)
    }
}

/// Replaces secrets in texts from libpq and servers.
struct Redaction: Sendable {
    let secrets: [String]

    func callAsFunction(_ text: String) -> String {
        var text = text
        for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            text = text.replacing(secret, with: "…")
        }
        return text
    }
}
