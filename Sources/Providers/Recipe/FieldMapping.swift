import Payments

/// Where in a body the facts of a notification stand, and what the provider's words mean: `fields:`
/// of a recipe, or of an endpoint whose system ipnd does not know.
package struct FieldMapping: Sendable, Equatable {
    /// How the amount is written.
    package enum AmountForm: String, Sendable, CaseIterable {
        /// An integer of the currency's smallest unit: `4200`.
        case minor
        /// Decimal text or a JSON number in the currency's main unit: `"42.00"`, `42.5`.
        case decimal
    }

    /// The space in which an id of the provider's is unique.
    package enum Scope: String, Sendable, CaseIterable {
        case account, reference

        var ids: IDSpace { self == .account ? .account : .reference }
    }

    /// An array of which each element is an event of its own.
    package struct FanOut: Sendable, Equatable {
        /// Elements that the largest documented batch has (GoCardless).
        package static let maxDefault = 250

        /// A pointer to the array.
        package var pointer: String
        /// Most elements; a body with more is kept and not understood.
        package var max: Int

        package init(_ pointer: String, max: Int = maxDefault) {
            self.pointer = pointer
            self.max = max
        }
    }

    /// The provider's words for why something happened or failed.
    package struct ReasonSource: Sendable, Equatable {
        package var code: Source?
        package var message: Source?

        package init(code: Source? = nil, message: Source? = nil) {
            self.code = code
            self.message = message
        }
    }

    /// Set where one body holds several events: the other fields are read relative to each element.
    package var each: FanOut?

    /// The values that make an event the same event again. Several parts form one identity; where
    /// there is none, the body (or the element) does.
    package var identity: [Source]

    /// The merchant's order reference.
    package var reference: Source?

    /// The provider's transaction id. Where it is nil, the reference is used for it.
    package var transaction: Source?

    /// The id of the refund, capture or dispute. Where it is nil, the identity is used for it.
    package var action: Source?

    /// A reference of the operation's own, which finds the order and never decides which it is.
    package var alias: Source?

    /// Where the provider's ids are unique: `account`, or `reference` where they count anew for
    /// each of the merchant's references.
    package var scope = Scope.account

    /// The provider's word that ``statuses`` explains.
    package var status: Source
    package var amount: Source?
    package var amountForm: AmountForm

    /// Decimals of the provider's own minor units, by currency code, where they differ from those
    /// of ISO 4217.
    package var exponents: [String: Int] = [:]

    /// Whether `paid`, `captured` and `refunded` may come without a sum.
    package var withoutAmount = false

    /// The three letters, in capitals or in small letters; ``Source/text(_:)`` where the provider
    /// sends none.
    package var currency: Source?

    /// The sum of all refunds so far, in the form of the amount.
    package var refundedAtLeast: Source?
    package var occurred: Source?

    /// Nil reads any form.
    package var occurredForm: TimeForm?
    package var reason: ReasonSource?

    /// How the customer paid.
    package var method: Source?
    /// The agreement of which the payment is an instalment.
    package var agreement: Source?

    /// Marks of events of the provider's test mode: any that holds is enough.
    package var test: [Condition] = []

    /// The provider's words and what they mean. A `*` at the end stands for any rest; the exact
    /// word comes first, then the longest beginning. A word that is not in here is kept, flagged,
    /// and moves nothing.
    package var statuses: [String: EventType]

    /// Flags that come with a word of ``statuses``, by the same word.
    package var statusFlags: [String: [Flag]] = [:]

    /// The kind of operation that a `reversed` word of ``statuses`` undoes, by that word; the one
    /// that `transaction` names if it is left out.
    package var reversalKinds: [String: Reversal.Kind] = [:]

    /// Values that the signature does not cover.
    package var unsigned: [Source] = []

    /// Other fields for bodies of another layout, the first that fits: a refund's object has its
    /// facts elsewhere than a payment's.
    package var variants: [Variant] = []

    /// Fields for the bodies that meet all conditions.
    package struct Variant: Sendable, Equatable {
        package var conditions: [Condition]
        package var fields: FieldMapping

        package init(conditions: [Condition], fields: FieldMapping) {
            self.conditions = conditions
            self.fields = fields
        }

        /// For the bodies in which one of `words` is at `pointer`.
        package init(pointer: String, words: [String], fields: FieldMapping) {
            self.init(conditions: [Condition(.pointer(pointer), .isOneOf(words))], fields: fields)
        }
    }

    package init(
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
