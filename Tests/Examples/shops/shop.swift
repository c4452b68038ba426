import Foundation

private struct State: Codable { var position = Position(), decisions: [String: String] = [:] }
private let file = URL(fileURLWithPath: "state.json")
private func state() throws -> State {
    guard let data = try? Data(contentsOf: file) else { return State() }
    return try JSONDecoder().decode(State.self, from: data)
}
private func size() -> Int? { (try? Data(contentsOf: URL(fileURLWithPath: "steps")))?.count }
private func step(_ number: Int) { if let size = size(), size % 3 == number { exit(9) } }
func total(_ e: String, _ r: String) async throws -> String? {
    let data = try Data(contentsOf: URL(fileURLWithPath: "totals.json"))
    return try JSONDecoder().decode([String: String].self, from: data)["\(e)/\(r)"]
}
func position() async throws -> Position? { try state().position }
func apply(_ effects: [Effect], _ at: Position) async throws {
    if let size = size() { try Data(count: size + 1).write(to: URL(fileURLWithPath: "steps")) }
    step(1)
    var new = try state()
    new.position = at
    for effect in effects {
        new.decisions["\(effect.endpoint)/\(effect.name)"] = "\(effect.action) \(effect.why)"
    }
    try JSONEncoder().encode(new).write(to: file, options: .atomic)
    step(2)
}
