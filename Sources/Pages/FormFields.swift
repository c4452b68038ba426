import Bytes
import HTTP
import JSON

/// Names and values of a form or of a query (URL Standard §5.1). An empty value counts as absent,
/// because a form sends its empty fields too.
struct FormFields {
    private(set) var pairs: [(name: String, value: String)] = []
    /// Whether all of it is UTF-8. If one filter were ignored, more than intended would be shown or
    /// retried.
    private(set) var isText = true

    init(query bytes: ArraySlice<UInt8>?) { self.init(bytes ?? []) }

    init(body request: Request) { self.init(request.body[...]) }

    private init(_ bytes: ArraySlice<UInt8>) {
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = Self.decoded(pair[..<mark]),
                let value = Self.decoded(pair[mark...].dropFirst())
            else {
                isText = false
                continue
            }
            if !value.isEmpty { pairs.append((name, value)) }
        }
    }

    subscript(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// The fields of these names.
    func only(_ names: [String]) -> [(name: String, value: String)] {
        pairs.filter { names.contains($0.name) }
    }

    /// The fields as a query, with some changed; nil removes one.
    func query(changing changes: [(String, String?)] = []) -> String {
        var all = pairs.filter { pair in !changes.contains { $0.0 == pair.name } }
        all += changes.compactMap { name, value in value.map { (name, $0) } }
        return Self.query(all)
    }

    static func query(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    static func encoded(_ text: String) -> String { PercentEncoding.encode(Array(text.utf8)) }

    /// Nil where it is not percent-encoded UTF-8.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
        guard let decoded = PercentEncoding.decode(spaced[...]),
            JSONWriter.isValidUTF8(decoded[...])
        else { return nil }
        return String(decoding: decoded, as: UTF8.self)
    }
}
