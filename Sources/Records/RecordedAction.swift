import Bytes
import JSON
import Payments

/// What a person, or a program with a person's token, did through the admin listener.
package struct RecordedAction: Sendable, Equatable {
    /// The word in `event.status`.
    package enum Kind: String, Sendable, CaseIterable {
        /// Deliveries are tried again.
        case retry
        /// Dead letters are given up.
        case giveUp = "give_up"
        /// A destination is told nothing, told again, sent an example.
        case pause, resume, test
        /// The provider is asked about an order.
        case inquire
        /// An order in `review` is resolved.
        case resolve
        /// What is expected of an order is replaced.
        case correct
        /// What came to an order by an id only is taken out of it.
        case split
    }

    /// A name that a part of an order came with.
    package struct PartName: Sendable, Equatable {
        package var isReference: Bool
        package var value: String

        package init(isReference: Bool, value: String) {
            self.isReference = isReference
            self.value = value
        }

        fileprivate static let reference = "reference"
        fileprivate static let id = "id"
    }

    /// The names as parameters: each with its number, for a record's members have names of their
    /// own.
    package static func parameters(of names: [PartName]) -> [Parameter] {
        names.enumerated().map { number, name in
            Parameter(
                "\(name.isReference ? PartName.reference : PartName.id)\(number + 1)", name.value)
        }
    }

    /// What was asked for beside the reason, such as the filter of a retry.
    package struct Parameter: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What a person decided about an order, and the facts that the person saw.
    package struct Resolved: Sendable, Equatable {
        package var settlement: Settlement
        /// `Order.factDigest`.
        package var basis: [UInt8]

        package init(_ settlement: Settlement, basis: [UInt8]) {
            self.settlement = settlement
            self.basis = basis
        }
    }

    /// Unique: an act is never a repetition of another.
    package var id: String
    package var kind: Kind
    /// The order's own reference; nil where the act is about no single order.
    package var reference: String?
    /// The name of the token: `admin`; `local` where the configuration asks for none.
    package var by: String
    /// The client's address, or `unix`.
    package var remote: String
    /// In the person's words; empty where none was given.
    package var reason: String
    /// In their order.
    package var parameters: [Parameter]
    /// In a `resolve`.
    package var resolved: Resolved?
    /// In a `correct`: the record whose expectation this one replaces.
    package var replaces: UInt64?
    /// When; the record's `received`.
    package var received: Timestamp

    package init(
        id: String, kind: Kind, reference: String?, by: String, remote: String, reason: String,
        parameters: [Parameter] = [], resolved: Resolved? = nil, replaces: UInt64? = nil,
        received: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.reference = reference
        self.by = by
        self.remote = remote
        self.reason = reason
        self.parameters = parameters
        self.resolved = resolved
        self.replaces = replaces
        self.received = received
    }

    /// The event of its record. It has no effect of its own: what a person decided is one.
    package var notification: Notification {
        Notification(
            id: id, kind: Notification.actionKind, status: kind.rawValue, reference: reference)
    }

    /// In a `split`: the names of what may leave the order, by which the orders are found to which
    /// it goes.
    package var separated: [PartName] {
        guard kind == .split else { return [] }
        return parameters.map {
            PartName(isReference: $0.name.hasPrefix(PartName.reference), value: $0.value)
        }
    }

    /// What it holds in memory, in bytes, roughly.
    package var byteCount: Int {
        reason.utf8.count + parameters.reduce(512) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

extension Notification {
    /// The kind of what a person did.
    package static let actionKind = "action"
}

/// The records of acts.
extension RecordEncoder {
    /// Appends a record of an act, and returns where its head ends. It is as an expectation's, but
    /// `event.action` says who did it and why. It has no `key`, `request` and `peer`; all but the
    /// closing brace is the head.
    ///
    /// - Parameter registered: What a `correct` puts in the place of the expectation.
    @discardableResult
    package static func append(
        _ content: RecordContent, of action: RecordedAction,
        registering registered: RegisteredExpectation?, from origin: RecordOrigin,
        to bytes: inout [UInt8]
    ) -> Int {
        let event = action.notification
        bytes.write(atMost: room(content) + room(origin) + room(event) + action.room) { writer in
            begin(content, origin, to: &writer)
            append(content, to: &writer)
            append(event, to: &writer)
            action.append(to: &writer)
            if registered != nil { writer.fragment(#","expectation":"#) }
        }
        if let registered { bytes += registered.contentBytes }
        bytes.write(atMost: room(content)) { writer in
            writer.fragment("}")
            if let order = content.order { append(order, to: &writer) }
            writer.fragment("}")
        }
        return bytes.count - 1
    }
}

extension RecordedAction {
    /// What the member takes at most.
    fileprivate var room: Int {
        parameters.reduce(
            1024 + RecordWriter.room(by) + RecordWriter.room(remote) + RecordWriter.room(reason)
        ) { $0 + 8 + RecordWriter.room($1.name) + RecordWriter.room($1.value) }
    }

    fileprivate func append(to writer: inout RecordWriter) {
        writer.fragment(#","action":{"by":"#)
        writer.text(by)
        writer.text(#","remote":"#, remote)
        if !reason.isEmpty { writer.text(#","reason":"#, reason) }
        if !parameters.isEmpty {
            writer.fragment(#","parameters":{"#)
            for (index, parameter) in parameters.enumerated() {
                if index > 0 { writer.fragment(",") }
                writer.text(parameter.name)
                writer.text(":", parameter.value)
            }
            writer.fragment("}")
        }
        if let resolved {
            writer.text(#","resolution":{"status":"#, resolved.settlement.status.rawValue)
            writer.amount(#","captured":"#, resolved.settlement.captured)
            writer.amount(#","refunded":"#, resolved.settlement.refunded)
            writer.text(#","basis":"#, Hex.encode(resolved.basis))
            writer.fragment("}")
        }
        if let replaces {
            writer.fragment(#","replaces":"#)
            writer.integer(Int64(clamping: replaces))
        }
        writer.fragment("}")
    }
}

/// The `action` member of a record's event as it is read.
struct ActionDraft {
    private var by: String?
    private var remote: String?
    private var reason = ""
    private var parameters: [RecordedAction.Parameter] = []
    private var replaces: Int64?
    private var hasResolution = false
    private var status: String?
    private var captured = AmountDraft()
    private var refunded = AmountDraft()
    private var basis: String?

    init(from scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "by": by = try scanner.string()
            case "remote": remote = try scanner.string()
            case "reason": reason = try scanner.string()
            case "replaces": replaces = try scanner.int64()
            case "resolution": try readResolution(from: &scanner)
            case "parameters":
                try scanner.beginObject()
                while let name = try scanner.nextKey() {
                    parameters.append(.init(String(name), try scanner.string()))
                }
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func readResolution(from scanner: inout JSONScanner) throws(JSONError) {
        hasResolution = true
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "status": status = try scanner.string()
            case "captured": try captured.read(from: &scanner)
            case "refunded": try refunded.read(from: &scanner)
            case "basis": basis = try scanner.string()
            default: try scanner.skipValue()
            }
        }
    }

    /// The act; nil of a kind that a later program has added: who did what stays in the record,
    /// and for the orders it is nothing.
    func action(
        of event: Notification, received: Timestamp
    ) throws(RecordError) -> RecordedAction? {
        guard let kind = RecordedAction.Kind(rawValue: event.status) else { return nil }
        guard let by else { throw .missing("event.action.by") }
        guard let remote else { throw .missing("event.action.remote") }
        var action = RecordedAction(
            id: event.id, kind: kind, reference: event.reference, by: by, remote: remote,
            reason: reason, parameters: parameters,
            replaces: replaces.flatMap { UInt64(exactly: $0) }, received: received)
        guard hasResolution else { return action }
        guard let status = status.flatMap(OrderStatus.init(rawValue:)), status != .review else {
            throw .value("event.action.resolution.status")
        }
        guard let basis = basis.flatMap({ Hex.decode($0) }),
            basis.count == Resolution.basisBytes
        else { throw .value("event.action.resolution.basis") }
        let settlement = Settlement(
            status: status, captured: try captured.money("event.action.resolution.captured"),
            refunded: try refunded.money("event.action.resolution.refunded"))
        guard settlement.captured?.minor ?? 0 >= 0, settlement.refunded?.minor ?? 0 >= 0 else {
            throw .value("event.action.resolution")
        }
        action.resolved = .init(settlement, basis: basis)
        return action
    }
}

/// An amount as it is read.
private struct AmountDraft {
    private var minor: Int64?
    private var currency: String?
    private var isThere = false

    mutating func read(from scanner: inout JSONScanner) throws(JSONError) {
        isThere = true
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "minor": minor = try scanner.int64()
            case "currency": currency = try scanner.string()
            default: try scanner.skipValue()
            }
        }
    }

    /// Returns the amount; nil where there is none. Throws `value` with `name` when it is invalid.
    func money(_ name: StaticString) throws(RecordError) -> Money? {
        guard isThere else { return nil }
        guard let minor, let currency = currency.flatMap({ Currency($0) }) else {
            throw .value("\(name)")
        }
        return Money(minor: minor, currency: currency)
    }
}
