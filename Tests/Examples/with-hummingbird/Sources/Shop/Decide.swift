// The rules of config/fulfilment.md.
struct Amount: Decodable, Sendable { var minor: Int, currency: String }
struct Order: Decodable, Sendable {
    var status: String, reference: String?, transaction: String?, amount: Amount?
}
struct Event: Decodable, Sendable {
    var endpoint: String, sequence: Int, flags: [String]?, order: Order?
}
struct Effect: Codable, Sendable { var endpoint, action, name, why: String }

func decide(_ event: Event, _ total: (String, String) async throws -> String?) async rethrows
    -> Effect?
{
    guard let order = event.order,
        !["pending", "authorized", "failed", "canceled", "expired"].contains(order.status)
    else { return nil }
    let name = order.reference ?? "~\(order.transaction ?? "")"
    let paid = order.amount.map { "\($0.minor) \($0.currency)" } ?? "an unknown amount"
    let flags = Set(event.flags ?? [])
    var doubts = flags.intersection(["test_mode"])
    if !flags.contains("resolved") {
        doubts.formUnion(
            flags.intersection(
                ["provider_review", "paid_twice", "contradicted", "unconfirmed", "not_understood"]))
    }
    func effect(_ action: String, _ why: String) -> Effect {
        Effect(endpoint: event.endpoint, action: action, name: name, why: why)
    }
    guard order.status == "paid" else { return effect("hold", order.status) }
    if let doubt = doubts.min() { return effect("hold", doubt) }
    guard let reference = order.reference else { return effect("hold", "no reference") }
    guard let due = try await total(event.endpoint, reference), due == paid else {
        return effect("hold", paid)
    }
    return effect("ship", paid)
}
