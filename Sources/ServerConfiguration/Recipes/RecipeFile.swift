import Platform
import Providers

/// A recipe's file, read and checked.
package struct RecipeFile: Sendable {
    /// A recipe is shorter than any configuration. In bytes.
    static let bytesMax = 1 << 18

    /// Nil after mistakes.
    package let recipe: Recipe?
    /// In the order of the file.
    package let findings: [Finding]
    /// Further mistakes that are not among them.
    package let mistakesOmitted: Int

    /// Reads the file at `path`, as a merchant's own.
    ///
    /// - Parameter shown: The path as people know it.
    package init(path: String, shown: String? = nil) {
        let reading = DecodingContext(file: shown ?? path, folder: "/", environment: [:])
        let text = Configuration.text(at: path, "the recipe", reading)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let stem = Self.stem(name)
        let recipe = text.flatMap { text in
            Self.recipe(
                text, name: stem,
                isShipped: ShippedRecipe.all.contains { $0.name == stem && $0.text == text },
                reading)
        }
        self.init(recipe, reading)
    }

    /// Reads a text as the recipe that its file's name says.
    init(text: String, name: String, isShipped: Bool) {
        let reading = DecodingContext(file: "\(name).yaml", folder: "/", environment: [:])
        self.init(Self.recipe(text, name: name, isShipped: isShipped, reading), reading)
    }

    private init(_ recipe: Recipe?, _ reading: DecodingContext) {
        self.recipe = recipe
        findings = reading.findings.sorted(by: Finding.isInOrder)
        mistakesOmitted = reading.mistakesOmitted
    }

    /// The recipe that `text` is; nil after mistakes, which `reading` then knows.
    static func recipe(
        _ text: String, name: String, isShipped: Bool, _ reading: DecodingContext
    ) -> Recipe? {
        YAMLText(text).root(reading)
            .flatMap { RecipeReader($0, reading, isShipped: isShipped) }?.recipe(file: name)
    }

    private static func stem(_ name: String) -> String {
        for ending in [".yaml", ".yml"] where name.hasSuffix(ending) {
            return String(name.dropLast(ending.count))
        }
        return name
    }
}
