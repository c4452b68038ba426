import Bytes
import HTTP
import Store

/// The path of an order, with a query where the path cannot hold the reference.
///
/// The reference is percent-encoded in the path. This fails for `.` and `..`: browsers and many
/// clients treat `%2E%2E` as a step upwards (URL Standard §3.5). It also fails for `/`, because
/// proxies decode `%2F`. Then the path has `-`, and the query has the reference, which no client or
/// proxy changes: `/orders/shop/-?reference=..`. Without such a query, `-` is the order of that
/// name.
package enum OrderPath {
    /// Takes the place of a reference that is in the query.
    package static let elsewhere = "-"
    package static let parameter = "reference"

    /// The path relative to the folder that contains `orders/`, without a leading slash.
    ///
    /// - Parameter act: The part after the reference, such as `inquire`.
    package static func of(_ name: OrderName, act: String? = nil) -> String {
        let endpoint = encoded(name.endpoint)
        let end = act.map { "/\($0)" } ?? ""
        guard isSafeInPath(name.reference) else {
            let query = "?\(parameter)=\(encoded(name.reference))"
            return "orders/\(endpoint)/\(elsewhere)\(end)\(query)"
        }
        return "orders/\(endpoint)/\(encoded(name.reference))\(end)"
    }

    private static func isSafeInPath(_ reference: String) -> Bool {
        reference != "." && reference != ".." && !reference.utf8.contains(UInt8(ascii: "/"))
            && !reference.utf8.contains(0)
    }

    private static func encoded(_ text: String) -> String {
        PercentEncoding.encode(Array(text.utf8))
    }

    /// Whether a path, given as its parts, says that the reference is in the query.
    package static func isElsewhere(_ parts: [String]) -> Bool {
        (3...4).contains(parts.count) && ["orders", "expectations"].contains(parts[0])
            && parts[2] == elsewhere
    }

    /// The percent-encoded reference in a query, and the rest of the query. Nil where there is
    /// none.
    package static func reference(
        in query: ArraySlice<UInt8>?
    ) -> (encoded: [UInt8], rest: [UInt8])? {
        let pairs = (query ?? []).split(separator: UInt8(ascii: "&"))
        let start = "\(parameter)="
        guard let found = pairs.firstIndex(where: { $0.starts(with: start.utf8) }) else {
            return nil
        }
        var others = pairs
        let pair = others.remove(at: found)
        // Forms encode a space as `+`.
        let value = pair.dropFirst(start.utf8.count)
            .flatMap { $0 == UInt8(ascii: "+") ? Array("%20".utf8) : [$0] }
        return (value, Array(others.joined(separator: [UInt8(ascii: "&")])))
    }
}

extension Request {
    /// The request with another query.
    func with(query: [UInt8]) -> Request {
        Request(
            method: method, target: target, path: path, query: query[...], version: version,
            fields: fields, body: body, keepAlive: keepAlive)
    }
}
