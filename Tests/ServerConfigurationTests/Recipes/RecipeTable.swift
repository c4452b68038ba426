import Providers

@testable import ServerConfiguration

/// The table of shipped recipes in config/providers.md.
enum RecipeTable {
    static var text: String {
        let rows = ShippedRecipe.all.compactMap(\.file.recipe).map(row)
        let head = [
            "", "| `provider:` | for | verified by | success answer | published retries | URL |",
            "|---|---|---|---|---|---|",
        ]
        return (head + rows).joined(separator: "\n") + "\n\n"
    }

    private static func row(_ recipe: Recipe) -> String {
        let proof =
            switch recipe.proof {
            case .signature(let scheme): scheme.summary
            case .token(let token): "the header \(token.header), which proves nothing of the body"
            }
        let answer = recipe.answers.accepted ?? Answer(status: 200)
        let body = String(decoding: answer.body, as: UTF8.self)
        let cells = [
            "`\(recipe.name)`", recipe.title, proof,
            "\(answer.status), \(body.isEmpty ? "empty" : "`\(body)`")", retries(recipe.retries),
            recipe.urlPlace,
        ]
        return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }

    private static func retries(_ pauses: [Int]) -> String {
        if pauses.isEmpty { return "not published" }
        let total = pauses.reduce(0, +)
        let time =
            total >= 172_800
            ? "\(total / 86_400) days" : total >= 7200 ? "\(total / 3600) h" : "\(total / 60) min"
        return "\(pauses.count) in \(time)"
    }
}
