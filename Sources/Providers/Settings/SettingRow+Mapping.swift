import Payments

extension SettingRow {
    /// The mapping of a JSON body to an order, under the usual key.
    package static let fields = Setting<FieldMapping>(
        "fields", .fieldMapping, help: "JSON pointers to the facts, and the words of the status"
    ) {
        $0.summary = { _ in "custom field mapping" }
        $0.sandbox = .fixed(.fields(sandboxFields), lines: sandboxLines)
    }

    /// The clock difference that a signed time may have.
    package static func toleranceSeconds(help: String) -> Setting<Int> {
        Setting("toleranceSeconds", .integer(1...31_536_000), help: help)
    }

    private static let sandboxWords = EventType.allCases.filter { $0 != .ignored }.map(\.rawValue)

    private static let sandboxFields: FieldMapping = {
        var fields = FieldMapping(
            identity: ["/id"], reference: "/reference", transaction: "/transaction",
            action: "/action", status: "/status", amount: "/amount",
            currency: .pointer("/currency"))
        for type in EventType.allCases where type != .ignored {
            fields.statuses[type.rawValue] = type
        }
        return fields
    }()

    private static let sandboxLines =
        [
            "identity: [/id]", "reference: /reference", "transaction: /transaction",
            "action: /action        # the id of a capture, refund or dispute", "status: /status",
            "amount: /amount", "currency: /currency",
            "statuses:              # the sender's word: what it means",
        ] + sandboxWords.map { "  \($0): \($0)" }
}
