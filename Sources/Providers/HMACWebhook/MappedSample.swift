import JSON
import Payments

/// A body that has everything where a ``FieldMapping`` looks for it.
struct MappedSample {
    let mapping: FieldMapping

    func body(_ event: SampleEvent) throws(SenderError) -> [UInt8] {
        _ = try event.digits()
        guard let (mapping, mark) = mapping.sampleFields(event.type),
            let status = mapping.statuses.filter({ $0.value == event.type }).keys.min()
        else {
            throw .unsupported(event.type)
        }
        var tree = Tree.object([:])
        // The status stands in every identity anyway; what else is in one must differ between
        // events.
        for pointer in mapping.identity {
            tree.set(
                pointer,
                .string(SampleEvent.identifier(pointer.pointerText, event.actionID, status)))
        }
        tree.set(mapping.occurred, .string(event.occurred.wholeSeconds.rfc3339))
        switch mapping.amountForm {
        case .minor: tree.set(mapping.amount, .number(String(event.money.minor)))
        case .decimal: tree.set(mapping.amount, .string(event.money.decimal))
        }
        switch mapping.currency {
        case .pointer(let pointer): tree.set(.pointer(pointer), .string(event.money.currency.code))
        case .text(let code):
            guard code == event.money.currency.code else { throw .unrepresentableAmount }
        default: break
        }
        tree.set(mapping.action, .string(event.actionID))
        tree.set(mapping.transaction, .string(event.transaction))
        tree.set(mapping.reference, .string(event.reference))
        tree.set(mark.map { .pointer($0.pointer) }, .string(mark?.word ?? ""))
        tree.set(mapping.status, .string(status))
        var json = JSONWriter(reserving: 512)
        tree.write(to: &json)
        return json.bytes
    }

    /// A JSON value that is being made.
    private indirect enum Tree {
        case string(String)
        case number(String)
        case object([String: Tree])

        /// Puts `value` where `pointer` points, making the objects on the way.
        mutating func set(_ source: Source?, _ value: Tree) {
            guard let pointer = source?.pointerText, pointer.hasPrefix("/") else { return }
            let names = pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            set(names.map(Self.unescape)[...], value)
        }

        private mutating func set(_ names: ArraySlice<String>, _ value: Tree) {
            guard let name = names.first else {
                self = value
                return
            }
            var members: [String: Tree] = [:]
            if case .object(let existing) = self { members = existing }
            var member = members[name] ?? .object([:])
            member.set(names.dropFirst(), value)
            members[name] = member
            self = .object(members)
        }

        func write(to json: inout JSONWriter) {
            switch self {
            case .string(let text): json.string(text)
            case .number(let digits): json.raw(Array(digits.utf8)[...])
            case .object(let members):
                // Sorted, so that the same event gives the same bytes.
                json.object { json in
                    for (name, member) in members.sorted(by: { utf8Precedes($0.key, $1.key) }) {
                        json.key(name)
                        member.write(to: &json)
                    }
                }
            }
        }

        /// `~1` is a slash and `~0` a tilde (RFC 6901 §3).
        private static func unescape(_ name: Substring) -> String {
            var unescaped = ""
            var rest = name
            while let character = rest.popFirst() {
                guard character == "~", let code = rest.popFirst() else {
                    unescaped.append(character)
                    continue
                }
                unescaped.append(code == "1" ? "/" : "~")
            }
            return unescaped
        }
    }
}
