import Payments

/// Where in a body the facts of a notification stand, and what the provider's words mean: `fields:`
/// of a recipe, or of an endpoint whose system ipnd does not know.
///
/// ```swift
/// var fields = FieldMapping(
///     identity: ["/id"], reference: "/order", transaction: "/payment", status: "/type",
///     amount: "/sum", amountForm: .decimal, currency: .fixed("EUR"),
///     statuses: ["payment.done": .paid, "payment.declined": .failed])
/// fields.test = [Condition("/live", .isOneOf(["false"]))]
/// ```
public struct FieldMapping: Sendable, Equatable, Codable {
    /// The form of an amount.
    public enum AmountForm: String, Sendable, CaseIterable, Codable {
        /// An integer of the currency's smallest unit: `4200`.
        case minor
        /// Decimal text or a JSON number in the currency's main unit: `"42.00"`, `42.5`.
        case decimal
    }

    /// The space in which an id of the provider's is unique.
    public enum Scope: String, Sendable, CaseIterable, Codable {
        case account, reference

        var ids: IDSpace { self == .account ? .account : .reference }
    }

    /// An array of which each element is an event of its own.
    public struct FanOut: Sendable, Equatable, Codable {
        /// Elements that the largest documented batch has (GoCardless).
        public static let maxDefault = 250

        /// A pointer to the array.
        public var pointer: String
        /// Most elements; a body with more is kept and not understood.
        public var max: Int

        /// Creates a fan-out over the array at a JSON pointer.
        public init(_ pointer: String, max: Int = maxDefault) {
            self.pointer = pointer
            self.max = max
        }
    }

    /// The provider's words for why something happened or failed.
    public struct ReasonSource: Sendable, Equatable, Codable {
        /// The provider's code.
        public var code: Source?
        /// The provider's text for people.
        public var message: Source?

        /// Creates a source of reasons.
        public init(code: Source? = nil, message: Source? = nil) {
            self.code = code
            self.message = message
        }
    }

    /// Set where one body holds several events: the other fields are read relative to each element.
    public var each: FanOut?

    /// The values that make an event the same event again. Several parts form one identity; where
    /// there is none, the body (or the element) does.
    public var identity: [Source]

    /// The merchant's order reference.
    public var reference: Source?

    /// The provider's transaction id. Where it is nil, the reference is used for it.
    public var transaction: Source?

    /// The id of the refund, capture or dispute. Where it is nil, the identity is used for it.
    public var action: Source?

    /// A reference of the operation's own, which finds the order and never decides which it is.
    public var alias: Source?

    /// Where the provider's ids are unique: `account`, or `reference` where they count anew for
    /// each of the merchant's references.
    public var scope = Scope.account

    /// The provider's word that ``statuses`` explains.
    public var status: Source
    /// The sum.
    public var amount: Source?
    /// The form of every sum.
    public var amountForm: AmountForm

    /// Decimals of the provider's own minor units, by currency code, where they differ from those
    /// of ISO 4217.
    public var exponents: [String: Int] = [:]

    /// Whether `paid`, `captured` and `refunded` may come without a sum.
    public var withoutAmount = false

    /// The three letters, in capitals or in small letters; ``Source/text(_:)`` where the provider
    /// sends none.
    public var currency: Source?

    /// The sum of all refunds so far, in the form of the amount.
    public var refundedAtLeast: Source?
    /// When the event happened.
    public var occurred: Source?

    /// Nil reads any form.
    public var occurredForm: TimeForm?
    /// Why it happened or failed.
    public var reason: ReasonSource?

    /// How the customer paid.
    public var method: Source?
    /// The agreement of which the payment is an instalment.
    public var agreement: Source?

    /// Marks of events of the provider's test mode: any that holds is enough.
    public var test: [Condition] = []

    /// The provider's words and what they mean. A `*` at the end stands for any rest; the exact
    /// word comes first, then the longest beginning. A word that is not in here is kept, flagged,
    /// and moves nothing.
    public var statuses: [String: EventType]

    /// Flags that come with a word of ``statuses``, by the same word.
    public var statusFlags: [String: [Flag]] = [:]

    /// The kind of operation that a `reversed` word of ``statuses`` undoes, by that word; the one
    /// that `transaction` names if it is left out.
    public var reversalKinds: [String: Reversal.Kind] = [:]

    /// Values that the signature does not cover.
    public var unsigned: [Source] = []

    /// Other fields for bodies of another layout, the first that fits: a refund's object has its
    /// facts elsewhere than a payment's.
    public var variants: [Variant] = []

    /// Fields for the bodies that meet all conditions.
    public struct Variant: Sendable, Equatable, Codable {
        /// The conditions, all of which must hold.
        public var conditions: [Condition]
        /// The fields of such a body.
        public var fields: FieldMapping

        /// For the bodies in which all conditions hold.
        public init(conditions: [Condition], fields: FieldMapping) {
            self.conditions = conditions
            self.fields = fields
        }

        /// For the bodies in which one of `words` is at `pointer`.
        public init(pointer: String, words: [String], fields: FieldMapping) {
            self.init(conditions: [Condition(.pointer(pointer), .isOneOf(words))], fields: fields)
        }
    }

    /// Creates a mapping; sources that are left out are absent from the notifications.
    public init(
        identity: [Source] = [], reference: Source? = nil, transaction: Source? = nil,
        action: Source? = nil, status: Source, amount: Source? = nil,
        amountForm: AmountForm = .minor,
        currency: Source? = nil, occurred: Source? = nil,
        statuses: [String: EventType] = [:]
    ) {
        self.identity = identity
        self.reference = reference
        self.transaction = transaction
        self.action = action
        self.status = status
        self.amount = amount
        self.amountForm = amountForm
        self.currency = currency
        self.occurred = occurred
        self.statuses = statuses
    }
}
