/// A merchant's reference of an order, with the role in which it was reported.
public struct OrderReference: Sendable, Equatable, Joinable {
    /// The roles of a reference, rising. The raw value is written to disk.
    public enum Role: UInt8, Sendable, Comparable {
        /// Reported with an operation (a refund, a capture) that names its payment by an id. The
        /// reference finds the order but never decides its identity.
        case alias
        /// Reported with an operation. It names the order until a payment does.
        case operation
        /// Reported with a payment, or registered by the merchant: the order's own.
        case payment
        /// The shop's own order, registered by the merchant. The payments' references are tries of
        /// it.
        case order

        public static func < (lower: Role, higher: Role) -> Bool {
            lower.rawValue < higher.rawValue
        }
    }

    /// The reference.
    public let text: String
    /// The highest role in which it was reported.
    public internal(set) var role: Role

    package init(_ text: String, _ role: Role) {
        self.text = text
        self.role = role
    }

    var id: String { text }

    mutating func join(_ other: OrderReference) {
        role = max(role, other.role)
    }
}

extension Order {
    /// The merchant's reference; nil while only provider ids and aliases are known.
    ///
    /// | references | the order's own |
    /// |---|---|
    /// | the shop's order, of which others are tries | that |
    /// | else one or more of payments | the least by bytes (two are a conflict) |
    /// | else one or more of operations | the least by bytes |
    /// | else | nil |
    public var reference: String? {
        if references.count == 1 {
            return references[0].role == .alias ? nil : references[0].text
        }
        let best = references.lazy.map(\.role).max() ?? .alias
        return best == .alias ? nil : references.first { $0.role == best }?.text
    }

    /// The other references that find this order, sorted by bytes.
    public var aliases: [String] {
        guard references.count > 1 || reference == nil else { return [] }
        let own = reference
        return references.map(\.text).filter { text in
            own.map { utf8Order($0, text) != 0 } ?? true
        }
    }

    /// Whether payments were reported with different references that are not tries of one order.
    var hasRivalReferences: Bool {
        references.count > 1 && !hasTries && references.count { $0.role == .payment } > 1
    }

    /// Whether the merchant has registered references as tries of this order.
    package var hasTries: Bool {
        references.count > 1 && references.contains { $0.role == .order }
    }

    /// Most references of tries that one order has, its own included. Each is asked about.
    package static let triesMax = 16

    /// The references under which payments of this order are made, sorted by bytes: its own, or
    /// those of its tries and its own.
    package var payable: [String] {
        hasTries
            ? references.filter { $0.role >= .payment }.map(\.text) : [reference].compactMap(\.self)
    }

    /// Whether `reference` is the order's own or that of a try, by its bytes: `==` takes
    /// canonically equivalent texts for equal.
    package func isNamed(_ reference: String) -> Bool {
        self.reference.isExactly(reference)
            || hasTries && isKnown(as: reference, role: .payment)
    }

    /// Ties the reference of a try to the shop's order. An order that is a try itself stays one.
    package mutating func tie(_ reference: String, to order: String) {
        let own = references.first { $0.role == .order }?.text ?? order
        references.join(OrderReference(reference, .payment))
        references.join(OrderReference(own, .order))
    }

    /// Whether the order has `reference`, compared by bytes, with at least this role.
    package func isKnown(as reference: String, role: OrderReference.Role = .operation) -> Bool {
        guard let index = references.index(id: reference) else { return false }
        return references[index].role >= role
    }
}

/// An element with an id that collects facts.
protocol Joinable {
    var id: String { get }

    /// Adds the facts of `other`, which has the same id.
    mutating func join(_ other: Self)
}

/// Arrays of joinable elements are sorted by the bytes of their ids, each id once. They nearly
/// always have one element, for which an array is smaller and faster than a dictionary. Their order
/// is also the order on disk.
extension Array where Element: Joinable {
    mutating func join(_ element: Element) {
        let index = insertionIndex(of: element.id)
        if index < endIndex, utf8Order(self[index].id, element.id) == 0 {
            self[index].join(element)
        } else {
            insert(element, at: index)
        }
    }

    mutating func join(contentsOf others: [Element]) {
        for element in others { join(element) }
    }

    /// The index of the element with this id, or nil.
    func index(id: String) -> Int? {
        let index = insertionIndex(of: id)
        return index < endIndex && utf8Order(self[index].id, id) == 0 ? index : nil
    }

    /// The element with this id, or nil.
    func named(_ id: String) -> Element? {
        index(id: id).map { self[$0] }
    }

    /// Whether the ids are strictly ascending.
    var isSortedByID: Bool {
        for index in indices.dropFirst() where utf8Order(self[index - 1].id, self[index].id) >= 0 {
            return false
        }
        return true
    }

    /// The first index whose id is not less than `id`.
    private func insertionIndex(of id: String) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if utf8Order(self[middle].id, id) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Compares by bytes: negative, zero or positive if `left` is less than, equal to or greater than
/// `right`.
///
/// `String` compares by canonical equivalence, but to a provider two ids are the same only if their
/// bytes are.
func utf8Order(_ left: String, _ right: String) -> Int {
    let leftBytes = left.utf8.span
    let rightBytes = right.utf8.span
    for index in 0..<min(leftBytes.count, rightBytes.count)
    where leftBytes[index] != rightBytes[index] {
        return Int(leftBytes[index]) - Int(rightBytes[index])
    }
    return leftBytes.count - rightBytes.count
}

/// Returns the non-nil text, or the lesser of two by bytes, so that the order of arrival does not
/// matter.
func lesser(_ left: String?, _ right: String?) -> String? {
    guard let left else { return right }
    guard let right else { return left }
    return utf8Order(left, right) <= 0 ? left : right
}
