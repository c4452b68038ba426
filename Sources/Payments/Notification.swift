/// One authentic notification in ipnd's terms, independent of the provider's.
public struct Notification: Sendable, Equatable {
    /// Identity within the endpoint, as canonical text: notifications with the same id report the
    /// same event.
    public var id: String
    /// `payment`, `capture`, `refund`, `dispute`, `reversal`, or `inquiry` for the answer to one;
    /// other kinds verbatim in `snake_case`.
    public var kind: String
    /// One of ipnd's status words, or the provider's own word if none of them fits.
    public var status: String
    /// When the event happened, according to the provider.
    public var occurred: Timestamp?
    /// The merchant's order reference.
    public var reference: String?
    /// The operation's own reference, where the provider links the operation to its payment by an
    /// id. It finds the order but never decides the order's identity.
    public var alias: String?
    /// The provider's id of the attempt. For an operation, the id that it refers to: a payment's, a
    /// capture's or a refund's.
    public var transaction: String?
    /// The fact that it adds to the order.
    public var effect: Effect
    /// Scope in which the provider's ids are unique, and what they may refer to.
    public var ids: IDSpace
    /// The sum refunded so far, as reported on the payment: a lower bound, not a refund. With a
    /// refund that has no amount of its own, the sum up to and including this refund.
    public var refundedAtLeast: Money?
    /// Why it failed: the provider's result code and message.
    public var reason: Reason?
    /// Payment method in the provider's own word: `card`, `GCASH`, `VISA`.
    public var method: String?
    /// The provider's id of the agreement that the payment is an instalment of.
    public var agreement: String?
    /// Noteworthy facts besides the status.
    public var flags: [Flag]

    /// Creates a notification, as tests of an order do; a provider creates those of a request.
    public init(
        id: String, kind: String, status: String, occurred: Timestamp? = nil,
        reference: String? = nil, alias: String? = nil, transaction: String? = nil,
        effect: Effect = .none, ids: IDSpace = .account, refundedAtLeast: Money? = nil,
        reason: Reason? = nil, method: String? = nil, agreement: String? = nil, flags: [Flag] = []
    ) {
        self.id = id
        self.kind = kind
        self.status = status
        self.occurred = occurred
        self.reference = reference
        self.alias = alias
        self.transaction = transaction
        self.effect = effect
        self.ids = ids
        self.refundedAtLeast = refundedAtLeast
        self.reason = reason
        self.method = method
        self.agreement = agreement
        self.flags = flags
    }
}

/// Scope in which a provider's ids are unique according to its documents, and what an operation's
/// reference to an id may mean. The raw value is the member `ids` of a record.
public enum IDSpace: String, Sendable, CaseIterable {
    /// Unique in the account; an operation refers to a payment.
    case account
    /// Unique in the account; an operation refers to a payment or to another operation.
    case anything
    /// Unique within the merchant's reference only: an id never finds another order.
    case reference
}

extension Notification {
    /// The kind of a provider's answer to an inquiry.
    package static let inquiryKind = "inquiry"

    /// Whether it reports that a payment was authorised or that money was captured.
    public var reportsSuccess: Bool {
        switch effect {
        case .attempt(.paid, _), .attempt(.authorized, _), .capture(_, .succeeded, _): true
        default: false
        }
    }

    /// Whether this is the answer to an inquiry.
    package var isInquiry: Bool {
        kind == Self.inquiryKind && id.utf8.starts(with: "inquiry:".utf8)
    }
}

/// The fact that one notification reports about an order.
///
/// ```swift
/// switch notification.effect {
/// case .attempt(.paid, let amount): print("paid", amount?.description ?? "an unknown sum")
/// case .refund(let id, .succeeded, _): print("refund", id)
/// default: break
/// }
/// ```
public enum Effect: Sendable, Equatable {
    /// A status of the attempt that the notification's `transaction` names.
    case attempt(AttemptStatus, Money?)
    /// A capture of that attempt, by the provider's capture id.
    case capture(id: String, ActionStatus, Money?)
    /// A refund, by the provider's refund id.
    case refund(id: String, ActionStatus, Money?)
    /// A refund whose report can be read in several ways, by the id that it carries.
    case unclearRefund(id: String, ActionStatus, RefundClaim)
    /// A dispute, by the provider's dispute id.
    case dispute(id: String, DisputeStatus, Money?)
    /// A reversal of the operation that the notification's `transaction` names, by the provider's
    /// id of the reversal.
    case reversal(Reversal.Kind, id: String, ActionStatus, Money?)
    /// Adds no fact and puts the order into `review`, for the reason in the notification's flags.
    case doubt
    /// Authentic, but about no order: recorded as `ignored`.
    case none

    /// The amount that the notification reports, or nil.
    public var amount: Money? {
        switch self {
        case .attempt(_, let amount), .capture(_, _, let amount), .refund(_, _, let amount),
            .dispute(_, _, let amount), .reversal(_, _, _, let amount):
            amount
        case .unclearRefund(_, _, let claim): claim.amount
        case .doubt, .none: nil
        }
    }

    /// The provider's id of the operation or dispute, or nil for an effect without its own id.
    public var id: String? {
        switch self {
        case .capture(let id, _, _), .refund(let id, _, _), .unclearRefund(let id, _, _),
            .dispute(let id, _, _), .reversal(_, let id, _, _):
            id
        case .attempt, .doubt, .none: nil
        }
    }

    /// The role of a reference that the notification names together with this effect.
    package var role: OrderReference.Role {
        if case .attempt = self { .payment } else { .operation }
    }
}

/// Distinguishes a repeated notification from one with the same id and different content.
extension Notification {
    /// The canonical bytes of the fields that must not change when the same id is received again:
    /// the effect with its status, the amount and its currency, the merchant's reference, and the
    /// operation's own id.
    ///
    /// Times, flags, reasons and the transaction are left out: a retry may carry another send time,
    /// and some kinds name their transaction only sometimes. The layout is the effect's number and
    /// its status; for an unclear refund, the refunded sum; 0, or 1 with eight bytes of minor units
    /// and two of currency; 0, or 1 with the reference; and a zero byte with the operation's id, if
    /// there is one.
    public var contentBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(14 + (reference?.utf8.count ?? 0))
        appendContent(to: &bytes)
        return bytes
    }

    /// Appends `contentBytes`.
    package func appendContent(to bytes: inout [UInt8]) {
        switch effect {
        case .none: append(0, 0, to: &bytes)
        case .attempt(let status, _): append(1, status.rawValue, to: &bytes)
        case .capture(_, let status, _): append(2, status.rawValue, to: &bytes)
        case .refund(_, let status, _): append(3, status.rawValue, to: &bytes)
        case .dispute(_, let status, _): append(4, status.rawValue, to: &bytes)
        case .reversal(let kind, _, let status, _):
            append(5 + kind.rawValue, status.rawValue, to: &bytes)
        case .unclearRefund(_, let status, let claim):
            append(16, status.rawValue, to: &bytes)
            append(claim.refunded, to: &bytes)
        case .doubt: append(17, 0, to: &bytes)
        }
        append(effect.amount, to: &bytes)
        if let reference {
            bytes.append(1)
            bytes += reference.utf8
        } else {
            bytes.append(0)
        }
        if let id = effect.id {
            bytes.append(0)
            bytes += id.utf8
        }
    }
}

/// Appends 0, or 1 with the amount.
private func append(_ amount: Money?, to bytes: inout [UInt8]) {
    guard let amount else { return bytes.append(0) }
    bytes.append(1)
    append(UInt64(bitPattern: amount.minor), count: 8, to: &bytes)
    append(UInt64(amount.currency.index), count: 2, to: &bytes)
}

private func append(_ number: UInt8, _ status: UInt8, to bytes: inout [UInt8]) {
    bytes.append(number)
    bytes.append(status)
}

/// Appends the `count` lowest bytes of `number`, least first.
private func append(_ number: UInt64, count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count {
        bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index)))
    }
}
