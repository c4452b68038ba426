import Payments
import Store

extension OrderQuery {
    /// The names of a query's parameters.
    static let parameters = [
        "endpoint", "status", "flag", "from", "to", "amountMin", "amountMax", "currency",
        "reference", "text", "cursor",
    ]

    /// Throws `parameter_invalid`.
    init(_ parameters: QueryParameters) throws(Problem) {
        self.init()
        endpoint = parameters["endpoint"]
        reference = parameters["reference"]
        text = parameters["text"]
        if let list = parameters["status"] {
            for word in list.split(separator: ",", omittingEmptySubsequences: false) {
                guard let status = OrderStatus(rawValue: String(word)) else {
                    let known = OrderStatus.allCases.map(\.rawValue).joined(separator: ", ")
                    throw parameters.invalid("status", "one or more of: \(known)")
                }
                statuses.append(status)
            }
        }
        if let word = parameters["flag"] {
            guard word == Overdue.flag || Flag(rawValue: word) != nil else {
                let known = Flag.allCases.map(\.rawValue).joined(separator: ", ")
                throw parameters.invalid("flag", "one of: \(known), \(Overdue.flag)")
            }
            flag = word
        }
        from = try parameters.time("from")
        to = try parameters.time("to")
        amountMin = try parameters.integer("amountMin", in: Int64.min...Int64.max)
        amountMax = try parameters.integer("amountMax", in: Int64.min...Int64.max)
        if let code = parameters["currency"] {
            guard Currency(code) != nil else {
                throw parameters.invalid("currency", "three capital letters (ISO 4217)")
            }
            currency = code
        }
        cursor = try parameters.integer("cursor", in: 0...UInt64(Int64.max))
    }
}
