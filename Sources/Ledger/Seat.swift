import Payments

/// The name by which a notification finds its order.
enum Seat {
    /// A reference: the notification belongs to that order, whatever else it names.
    case own(String)
    /// An id: the notification belongs to the order that the id leads to.
    case guest(GuestName)
    /// None.
    case nowhere

    /// | the notification | seat |
    /// |---|---|
    /// | a payment with a reference | the reference's |
    /// | anything with a reference, where ids are unique within the reference only | the same |
    /// | anything without one, where ids are so | a guest that no id leads anywhere |
    /// | what points to something by `transaction` | a guest of what it points to |
    /// | an operation with a reference and no pointer | the reference's |
    /// | an operation with nothing but its own id | a guest of where that operation is |
    init(_ notification: borrowing Notification) {
        let reference = notification.reference
        let isPayment = if case .attempt = notification.effect { true } else { false }
        if let reference, isPayment || notification.ids == .reference {
            self = .own(reference)
        } else if let pointer = notification.transaction, !pointer.isEmpty {
            let reach: GuestName.Reach =
                switch notification.ids {
                case .anything: .anything
                case .account: .payments
                case .reference: .nothing
                }
            self = .guest(GuestName(reference: reference, pointer: pointer, reach: reach))
        } else if let reference {
            self = .own(reference)
        } else if let id = notification.effect.id, !id.isEmpty {
            self = .guest(GuestName(reference: nil, pointer: id, reach: .itself))
        } else {
            self = .nowhere
        }
    }
}

/// The names that a guest of an order came with. Later notifications may move it by them.
package struct GuestName: Sendable, Hashable, Comparable {
    /// The things that the pointer may lead to. The raw value is written to disk.
    package enum Reach: UInt8, Sendable, Comparable {
        /// Payments only, as with nearly every provider.
        case payments
        /// Payments, and operations by their own ids.
        case anything
        /// The same operation, reported elsewhere with a pointer: it is the operation's own id.
        case itself
        /// Nothing: ids are unique within a reference, and it came without one.
        case nothing

        var isOfPayments: Bool { self == .payments || self == .anything }
        var isOfOperations: Bool { self == .anything || self == .itself }

        package static func < (lower: Reach, higher: Reach) -> Bool {
            lower.rawValue < higher.rawValue
        }
    }

    private let name: ExactText?
    private let id: ExactText
    package let reach: Reach

    /// The reference that it came with, which may be the operation's own.
    package var reference: String? { name?.text }
    package var pointer: String { id.text }
    var exactPointer: ExactText { id }

    init(reference: String?, pointer: String, reach: Reach) {
        name = reference.map { ExactText($0) }
        id = ExactText(pointer)
        self.reach = reach
    }

    package static func < (left: GuestName, right: GuestName) -> Bool {
        if left.id != right.id { return left.id < right.id }
        switch (left.name, right.name) {
        case (nil, nil): break
        case (nil, _): return true
        case (_, nil): return false
        case (let mine?, let other?): if mine != other { return mine < other }
        }
        return left.reach < right.reach
    }
}

/// Facts that came to an order by an id, kept apart from its own: a later notification may show
/// that they belong elsewhere.
package struct Guest: Sendable, Equatable {
    package let name: GuestName
    package var order: Order
    /// Its records, ascending.
    package var sequences: [UInt64]
}
