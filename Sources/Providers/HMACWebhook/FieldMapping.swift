import Payments

/// Where in a JSON body the facts of a notification stand, as JSON pointers (RFC 6901), and what
/// the provider's words mean: `fields:` in the configuration of an endpoint whose system ipnd does
/// not know.
package struct FieldMapping: Sendable, Equatable {
    /// How the amount is written.
    package enum AmountForm: String, Sendable, CaseIterable {
        /// An integer of the currency's smallest unit: `4200`.
        case minor
        /// Decimal text in the currency's main unit: `"42.00"`.
        case decimal
    }

    /// The space in which an id of the provider's is unique.
    package enum Scope: String, Sendable, CaseIterable {
        case account, reference

        var ids: IDSpace { self == .account ? .account : .reference }
    }

    package enum CurrencySource: Sendable, Equatable {
        /// The three letters stand there, in capitals or in small letters.
        case pointer(String)
        /// The provider sends none, because it deals in one.
        case fixed(String)
    }

    /// What makes an event the same event again. Several pointers form one identity; where there is
    /// none, the body does.
    package var identity: [String]

    /// The merchant's order reference.
    package var reference: String?

    /// The provider's transaction id. Where it is nil, the reference stands for it.
    package var transaction: String?

    /// The id of the refund, capture or dispute. Where it is nil, the identity stands for it.
    package var action: String?

    /// Where the provider's ids are unique: `account`, or `reference` where they count anew for
    /// each of the merchant's references.
    package var scope = Scope.account

    /// The provider's word that ``statuses`` explains.
    package var status: String
    package var amount: String?
    package var amountForm: AmountForm
    package var currency: CurrencySource?
    package var occurred: String?
    /// How the customer paid.
    package var method: String?
    /// The agreement of which the payment is an instalment.
    package var agreement: String?

    /// The provider's words and what they mean. A word that is not in here is kept, flagged, and
    /// moves nothing.
    package var statuses: [String: EventType]

    /// Other fields for bodies of another layout, the first that fits: a refund's object has its
    /// facts elsewhere than a payment's.
    package var variants: [Variant] = []

    /// Fields for the bodies in which one of ``words`` stands at ``pointer``.
    package struct Variant: Sendable, Equatable {
        package var pointer: String
        package var words: [String]
        /// Its own variants do not count.
        package var fields: FieldMapping

        package init(pointer: String, words: [String], fields: FieldMapping) {
            self.pointer = pointer
            self.words = words
            self.fields = fields
        }
    }

    package init(
        identity: [String] = [], reference: String? = nil, transaction: String? = nil,
        action: String? = nil, status: String, amount: String? = nil,
        amountForm: AmountForm = .minor,
        currency: CurrencySource? = nil, occurred: String? = nil,
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
