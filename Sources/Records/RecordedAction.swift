import Bytes
import JSON
import Payments

/// An act of a person, or of a program with a person's token, through the admin listener.
package struct RecordedAction: Sendable, Equatable {
    /// The raw value is in `event.status`.
    package enum Kind: String, Sendable, CaseIterable {
        /// Retries deliveries.
        case retry
        /// Gives up dead letters.
        case giveUp = "give_up"
        /// Delivers recorded events again.
        case resend
        /// Pauses a destination, resumes it, sends it an example.
        case pause, resume, test
        /// Asks the provider about an order.
        case inquire
        /// Resolves an order in `review`.
        case resolve
        /// Replaces the expectation of an order.
        case correct
        /// Removes from an order what was joined to it by an id only.
        case split
        /// Destroys the keys of records, so that their personal parts cannot be read any more.
        case erase
    }

    /// A name under which a part of an order was reported.
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

    /// The names as parameters: each with its number, because members of an object have different
    /// names.
    package static func parameters(of names: [PartName]) -> [Parameter] {
        names.enumerated().map { number, name in
            Parameter(
                "\(name.isReference ? PartName.reference : PartName.id)\(number + 1)", name.value)
        }
    }

    /// A parameter of the act, such as the filter of a retry.
    package struct Parameter: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A person's decision about an order, and the facts that it was based on.
    package struct Resolved: Sendable, Equatable {
        package var settlement: Settlement
        /// `Order.factDigest`.
        package var basis: [UInt8]

        package init(_ settlement: Settlement, basis: [UInt8]) {
            self.settlement = settlement
            self.basis = basis
        }
    }

    /// A unique id: an act is never a duplicate of another.
    package var id: String
    package var kind: Kind
    /// The order's own reference; nil where the act is about no single order.
    package var reference: String?
    /// The name of the token: `admin`; `local` where the configuration asks for none.
    package var by: String
    /// The client's address, or `unix`.
    package var remote: String
    /// The reason, in the person's words; empty where none was given.
    package var reason: String
    /// The parameters, in their order.
    package var parameters: [Parameter]
    /// The decision, in a `resolve`.
    package var resolved: Resolved?
    /// In a `correct`: the record whose expectation this one replaces.
    package var replaces: UInt64?
    /// The time of the act: the record's `received`.
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

    /// The event of its record. Its effect is `none`: the decision is what changes the order.
    package var notification: Notification {
        Notification(
            id: id, kind: Notification.actionKind, status: kind.rawValue, reference: reference)
    }

    /// The names of the parts that a `split` may remove from the order. They lead to the orders
    /// that get these parts.
    package var separated: [PartName] {
        guard kind == .split else { return [] }
        return parameters.map {
            PartName(isReference: $0.name.hasPrefix(PartName.reference), value: $0.value)
        }
    }

    /// Bytes in memory, estimated.
    package var byteCount: Int {
        reason.utf8.count + parameters.reduce(512) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

extension Notification {
    /// The kind of an act's event.
    package static let actionKind = "action"
}

/// Records of acts.
extension RecordEncoder {
    /// Appends a record of an act, and returns where its head ends: before the closing brace. The
    /// member `event.action` has the person and the reason. There is no `key`, `request` or `peer`.
    ///
    /// - Parameter registered: The new expectation, in a `correct`.
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
    /// Most bytes of the member.
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

/// The member `event.action`, as read.
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

    /// Returns the act; nil of a kind that a later program has added, which changes no order here.
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
        if kind == .erase, action.erased == nil { throw .value("event.action.parameters") }
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
