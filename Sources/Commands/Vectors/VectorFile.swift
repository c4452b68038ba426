import Bytes
import Glibc
import JSON
import Payments
import Platform
import Providers

/// A file of vectors: requests with what their provider's rules must make of each.
package struct VectorFile {
    package let genuine: [VectorEntry]
    package let negatives: [VectorEntry]
    package let traps: [VectorEntry]

    /// The certificates and roots that the whole file is verified with.
    let environment: VectorEnvironment

    /// Statuses that are as good as that of a refusal.
    let otherRefusals: [Int64]

    private static let bytesMax = 1 << 26

    /// - Throws: ``VectorFileError``.
    package init(_ bytes: [UInt8]) throws(VectorFileError) {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument(parsing: bytes, limits: .trusted).root
        } catch {
            throw .unreadable("is not JSON: \(error.reason) at byte \(error.offset)")
        }
        genuine = try Self.entries(root, .genuine)
        negatives = try Self.entries(root, .negative)
        traps = try Self.entries(root, .trap)
        guard !genuine.isEmpty else { throw .unreadable("has no list `vectors`") }
        environment = VectorEnvironment(root)
        let refused = root["acknowledgement"]?["refused"]
        otherRefusals = refused?["also_right"]?.elements.compactMap { $0["status"]?.int64 } ?? []
    }

    /// - Throws: ``VectorFileError``.
    package static func read(_ path: String) throws(VectorFileError) -> VectorFile {
        let bytes: [UInt8]
        do throws(FileContents.Problem) {
            bytes = try FileContents(path: path, bytesMax: bytesMax).bytes
        } catch {
            throw .missing(error.clause)
        }
        return try VectorFile(bytes)
    }

    private static func entries(
        _ root: JSONValue, _ list: VectorEntry.List
    ) throws(VectorFileError) -> [VectorEntry] {
        var entries: [VectorEntry] = []
        var place = 0
        let values = root[list.key].map { Array($0.elements) } ?? []
        for value in values {
            guard let entry = VectorEntry(value, list) else {
                throw .unreadable(
                    "has an entry without `id`, `config`, `request` or `expected`: "
                        + "\(list.key)[\(place)]")
            }
            entries.append(entry)
            place += 1
        }
        return entries
    }
}

/// Why a file of vectors cannot be run.
package enum VectorFileError: Error {
    case missing(String)
    case unreadable(String)

    /// The problem, after the file's name.
    package var clause: String {
        switch self {
        case .missing(let clause), .unreadable(let clause): clause
        }
    }

    package var status: Int32 {
        switch self {
        case .missing: EX_NOINPUT
        case .unreadable: EX_DATAERR
        }
    }
}

/// One request of a file, and what is expected of it.
package struct VectorEntry {
    package enum List {
        case genuine, negative, trap

        var key: String {
            switch self {
            case .genuine: "vectors"
            case .negative: "negatives"
            case .trap: "traps"
            }
        }

        var word: String {
            switch self {
            case .genuine: "genuine"
            case .negative: "negative"
            case .trap: "trap"
            }
        }
    }

    package let id: String
    package let list: List
    let config: JSONValue
    let body: [UInt8]
    let delivery: SignedRequest

    /// The entry itself, for the members that only some have.
    let value: JSONValue

    /// Whether a time was signed is judged by this clock where an entry has none.
    private static let nowDefault: Int64 = 1_790_000_000

    fileprivate init?(_ value: JSONValue, _ list: List) {
        guard let id = value["id"]?.string, let config = value["config"],
            config.kind == .object, value["expected"] != nil, let request = value["request"],
            let body = Self.body(request)
        else { return nil }
        self.id = id
        self.list = list
        self.config = config
        self.body = body
        self.value = value
        let target = Self.target(request["url"]?.string ?? "/ipn")
        let now = value["now"]?.int64 ?? Self.nowDefault
        delivery = SignedRequest(
            method: request["method"]?.string ?? "POST", path: target.path, query: target.query,
            headers: request["headers"]?.elements.compactMap { pair in
                var parts = pair.elements
                guard let name = parts.next()?.string, let text = parts.next()?.string else {
                    return nil
                }
                return Header(name, text)
            } ?? [],
            body: body,
            received: Timestamp(epochSeconds: now) ?? Timestamp(microseconds: 0))
    }

    private static func body(_ request: JSONValue) -> [UInt8]? {
        if let encoded = request["body_base64"]?.string {
            return Base64.decode(strict: Array(encoded.utf8)[...])
        }
        return request["body"]?.string.map { Array($0.utf8) }
    }

    /// Path and query of a URL.
    private static func target(
        _ url: String
    ) -> (path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?) {
        var rest = Array(url.utf8)[...]
        if let scheme = url.firstRange(of: "://") {
            rest = Array(url[scheme.upperBound...].utf8)[...]
            rest = rest[(rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex)...]
        }
        guard let mark = rest.firstIndex(of: UInt8(ascii: "?")) else { return (rest, nil) }
        return (rest[..<mark], rest[(mark + 1)...])
    }
}

extension VectorEntry {
    /// The code that the request must be refused with; nil where it must be accepted.
    var refusal: String? {
        list == .negative ? value["expected"]?.string : value["expected_refusal"]?.string
    }

    /// Types or reason codes that are as good as the expected one.
    var alsoRight: [String] { value.words("also_right") }

    /// Whether the endpoint counts test payments.
    var countsTests: Bool { config["mode"]?.string.map { $0 != "live" } ?? false }

    /// Whether what happened was asked for, so that the provider's answer is read.
    var isFetched: Bool { value["fetch"] != nil }
}

extension JSONValue {
    /// A member that is one word or a list of words.
    func words(_ name: String) -> [String] {
        guard let value = self[name] else { return [] }
        if let word = value.string { return [word] }
        return value.elements.compactMap(\.string)
    }
}
