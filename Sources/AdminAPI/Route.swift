import Bytes
import HTTP
import JSON
import Store

/// The routes of the admin API, by path.
enum Route: Equatable {
    case healthz, readyz, metrics, orders, events, destinations, deliveries, audit, erasures
    case order(OrderName)
    case inquire(OrderName)
    case resolve(OrderName)
    case correct(OrderName)
    case split(OrderName)
    case erase(OrderName)
    case expectation(OrderName)
    /// The endpoint whose provider lists events.
    case backfill(String)
    case destination(String, DestinationCommand)
    case change(DeliveryChange)

    /// Throws `unknown_path`, or `path_invalid` for a name that is not UTF-8 in percent-encoding.
    ///
    /// - Parameter reference: Percent-encoded, in place of the one in the path (`OrderPath`).
    init(_ path: ArraySlice<UInt8>, reference: [UInt8]? = nil) throws(Problem) {
        let parts = Self.parts(of: path)
        switch (parts.count, parts.first) {
        case (1, "healthz"): self = .healthz
        case (1, "readyz"): self = .readyz
        case (1, "metrics"): self = .metrics
        case (1, "orders"): self = .orders
        case (1, "events"): self = .events
        case (1, "destinations"): self = .destinations
        case (1, "deliveries"): self = .deliveries
        case (1, "audit"): self = .audit
        case (1, "erasures"): self = .erasures
        case (2, "deliveries"):
            guard let change = DeliveryChange(rawValue: parts[1]) else { throw .unknownPath }
            self = .change(change)
        case (3, "destinations"):
            guard let command = DestinationCommand(rawValue: parts[2]) else {
                throw .unknownPath
            }
            guard let name = Self.decoded(parts[1]) else { throw Self.notUTF8 }
            self = .destination(name, command)
        case (3, "endpoints"):
            guard parts[2] == "backfill" else { throw .unknownPath }
            guard let name = Self.decoded(parts[1]) else { throw Self.notUTF8 }
            self = .backfill(name)
        case (3, "expectations"): self = .expectation(try Self.name(parts, reference))
        case (3, "orders"), (4, "orders"):
            let name = try Self.name(parts, reference)
            switch parts.dropFirst(3).first {
            case nil: self = .order(name)
            case "inquire": self = .inquire(name)
            case "resolve": self = .resolve(name)
            case "split": self = .split(name)
            case "correct": self = .correct(name)
            case "erase": self = .erase(name)
            default: throw .unknownPath
            }
        default: throw .unknownPath
        }
    }

    /// The route of a request, and the request without the part of its query that the route used.
    static func of(_ request: Request) throws(Problem) -> (Route, Request) {
        guard OrderPath.isElsewhere(parts(of: request.path)),
            let found = OrderPath.reference(in: request.query)
        else { return (try Route(request.path), request) }
        let route = try Route(request.path, reference: found.encoded)
        return (route, request.with(query: found.rest))
    }

    private static func parts(of path: ArraySlice<UInt8>) -> [String] {
        path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The order that a path names: its second part is the endpoint, its third or `reference` the
    /// reference.
    private static func name(
        _ parts: [String], _ reference: [UInt8]?
    ) throws(Problem) -> OrderName {
        let given = reference.map { String(decoding: $0, as: UTF8.self) } ?? parts[2]
        guard let endpoint = decoded(parts[1]), let reference = decoded(given)
        else { throw notUTF8 }
        guard !endpoint.isEmpty, !reference.isEmpty else { throw .unknownPath }
        return OrderName(endpoint: endpoint, reference: reference)
    }

    private static let notUTF8 = Problem(
        400, "path_invalid", "the path is not percent-encoded UTF-8")

    /// The methods that the route accepts.
    var methods: [Method] {
        switch self {
        case .destination, .change, .backfill, .inquire, .resolve, .correct, .split, .erase,
            .erasures:
            [.post]
        case .order: [.get, .head, .post]
        case .expectation: [.put]
        default: Self.reading
        }
    }

    /// The methods of most routes.
    static let reading: [Method] = [.get, .head]

    /// Throws `method_not_allowed`.
    func check(_ method: Method) throws(Problem) {
        guard methods.contains(method) else { throw .methodNotAllowed(methods) }
    }

    private static func decoded(_ part: String) -> String? {
        guard let bytes = PercentEncoding.decode(ArraySlice(part.utf8)),
            JSONWriter.isValidUTF8(bytes[...])
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The `Accept` field (RFC 9110 §12.5.1).
enum Accept {
    /// The index of the media type in `offered` that the client prefers. The first where it has no
    /// preference or accepts none of them: an unexpected type is more useful to it than a 406.
    static func choose(_ request: Request, from offered: [String]) -> Int {
        var best = (index: 0, quality: 0.0, precision: 0)
        for field in request.values("accept") {
            for range in String(decoding: field, as: UTF8.self).lowercased().split(separator: ",") {
                let parts = range.split(separator: ";").map { part in
                    part.filter { $0 != " " && $0 != "\t" }
                }
                guard let media = parts.first else { continue }
                let quality =
                    parts.dropFirst().first { $0.hasPrefix("q=") }
                    .flatMap { Double($0.dropFirst(2)) } ?? 1
                for (index, type) in offered.enumerated() {
                    guard let precision = precision(media, type), quality > 0 else { continue }
                    if (quality, precision) > (best.quality, best.precision) {
                        best = (index, quality, precision)
                    }
                }
            }
        }
        return best.index
    }

    /// The precision of a match: 3 for the type itself, 2 for `type/*`, 1 for `*/*`; nil for none.
    private static func precision(_ range: String, _ type: String) -> Int? {
        if range == type { return 3 }
        if range == "*/*" { return 1 }
        guard range.hasSuffix("/*") else { return nil }
        return type.hasPrefix(range.dropLast()) ? 2 : nil
    }
}
