/// Endpoint names and the numbers that stand for them in keys and blobs. Numbers are given in the
/// order in which names are met and live in the snapshot with the tables.
package struct EndpointNames: Sendable, Equatable {
    package private(set) var names: [String] = []
    private var numbers: [String: UInt16] = [:]

    /// Endpoints that ever wrote to one journal: far more than any configuration has.
    package static let countMax = Int(UInt16.max)

    package init() {}

    /// The names of a snapshot, in order; nil when one stands there twice.
    package init?(_ names: [String]) {
        guard names.count <= Self.countMax else { return nil }
        for name in names { _ = number(of: name) }
        guard self.names.count == names.count else { return nil }
    }

    /// The number of `name`, or nil when no event of it is remembered.
    package func known(_ name: String) -> UInt16? { numbers[name] }

    /// The number of `name`, a new one when it is new.
    package mutating func number(of name: String) -> UInt16 {
        if let number = numbers[name] { return number }
        precondition(names.count < Self.countMax, "more than \(Self.countMax) endpoints")
        let number = UInt16(names.count)
        names.append(name)
        numbers[name] = number
        return number
    }

    package subscript(number: UInt16) -> String { names[Int(number)] }

    package var count: Int { names.count }
}
