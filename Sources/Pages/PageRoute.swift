import AdminAPI
import Bytes
import HTTP
import JSON
import Store

/// The routes of the pages, by path. The API handles all other paths.
enum PageRoute: Equatable {
    case root
    case asset(String)
    /// The form for signing in, and its target.
    case session
    case sessionEnd
    case now, orders, orderExport, events, rejections, destinations, journal, providers, audit
    case order(endpoint: String, reference: String)
    case stream
    case destinationAct(name: String, action: String)
    case retry
    case orderAct(endpoint: String, reference: String, action: String)
    case verifyJournal
    /// A path below `/ui` without a page.
    case unknown

    /// Nil where the path belongs to the API.
    ///
    /// - Parameter query: The request's query, which may have an order's reference (`OrderPath`).
    init?(_ path: ArraySlice<UInt8>, query: ArraySlice<UInt8>? = nil) {
        var parts = Self.parts(of: path)
        if OrderPath.isElsewhere(Array(parts.dropFirst())),
            let found = OrderPath.reference(in: query)
        {
            parts[3] = String(decoding: found.encoded, as: UTF8.self)
        }
        guard parts.first == "ui" else {
            guard parts == [""] else { return nil }
            self = .root
            return
        }
        self = Self.named(Array(parts.dropFirst())) ?? .unknown
    }

    private static func named(_ parts: [String]) -> PageRoute? {
        switch (parts.count, parts.first) {
        case (0, _): .root
        case (1, let name?): single(name)
        case (2, "session"): parts[1] == "end" ? .sessionEnd : nil
        case (2, "destinations"): parts[1] == "retry" ? .retry : nil
        case (2, "journal"): parts[1] == "verify" ? .verifyJournal : nil
        case (3, "destinations"): destination(parts)
        case (3, "orders"), (4, "orders"): order(parts)
        default: nil
        }
    }

    private static func single(_ name: String) -> PageRoute? {
        switch name {
        case "", "/": .root
        case "now": .now
        case "orders": .orders
        case "orders.csv": .orderExport
        case "events": .events
        case "rejections": .rejections
        case "destinations": .destinations
        case "journal": .journal
        case "audit": .audit
        case "providers": .providers
        case "session": .session
        case "stream": .stream
        default: PageAssets.files[name] == nil ? nil : .asset(name)
        }
    }

    private static func destination(_ parts: [String]) -> PageRoute? {
        guard ["pause", "resume", "test"].contains(parts[2]), let name = decoded(parts[1]) else {
            return nil
        }
        return .destinationAct(name: name, action: parts[2])
    }

    private static func order(_ parts: [String]) -> PageRoute? {
        guard let endpoint = decoded(parts[1]), let reference = decoded(parts[2]),
            !endpoint.isEmpty, !reference.isEmpty
        else { return nil }
        if parts.count == 3 { return .order(endpoint: endpoint, reference: reference) }
        guard ["inquire", "resolve", "correct", "erase", "resend"].contains(parts[3]) else {
            return nil
        }
        return .orderAct(endpoint: endpoint, reference: reference, action: parts[3])
    }

    /// The path of `ui/` relative to the page at `path`. Every link of the page begins with it.
    static func base(of path: ArraySlice<UInt8>) -> String {
        let parts = parts(of: path)
        guard parts.first == "ui" else { return "ui/" }
        // `/ui` itself is a name in the parent folder.
        return parts.count == 1 ? "ui/" : String(repeating: "../", count: parts.count - 2)
    }

    private static func parts(of path: ArraySlice<UInt8>) -> [String] {
        path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    var methods: [Method] {
        switch self {
        case .session: [.get, .head, .post]
        case .sessionEnd, .destinationAct, .retry, .orderAct, .verifyJournal: [.post]
        default: [.get, .head]
        }
    }

    /// Whether it is a static file, which needs no session.
    var isAsset: Bool {
        if case .asset = self { true } else { false }
    }

    /// Whether it is a screen, to which signing in may redirect.
    var isScreen: Bool {
        switch self {
        case .now, .orders, .events, .rejections, .destinations, .journal, .providers, .audit,
            .order:
            true
        default: false
        }
    }

    private static func decoded(_ part: String) -> String? {
        guard let bytes = PercentEncoding.decode(ArraySlice(part.utf8)),
            JSONWriter.isValidUTF8(bytes[...])
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension PageRoute {
    /// The visit in the words of the audit trail; nil for one that shows no personal data and
    /// changes nothing.
    func audited(_ visit: PageVisit) -> AuditedRequest? {
        let showsPersonalData = visit.role.seesPersonalData
        switch self {
        case .order(let endpoint, let reference):
            let name = OrderName(endpoint: endpoint, reference: reference)
            return showsPersonalData ? .init(.readOrder, on: name.subject) : nil
        case .orderExport:
            let query = visit.request.query.map { String(decoding: $0, as: UTF8.self) } ?? ""
            return showsPersonalData ? .init(.exportOrders, on: query) : nil
        case .rejections:
            guard showsPersonalData else { return nil }
            return visit.query["id"].map { .init(.readRejection, on: $0) }
        case .events:
            guard showsPersonalData else { return nil }
            return visit.query["id"].map { .init(.readEvents, on: $0) }
        case .audit: return .init(.readAudit)
        case .destinationAct(let name, let action):
            return AuditEntry.What(rawValue: action).map { .init($0, on: name) }
        case .retry: return .init(.retry, on: FormFields(body: visit.request)["destination"])
        case .orderAct(let endpoint, let reference, let action):
            let name = OrderName(endpoint: endpoint, reference: reference)
            return AuditEntry.What(rawValue: action).map { .init($0, on: name.subject) }
        case .verifyJournal: return .init(.verifyJournal)
        default: return nil
        }
    }
}
