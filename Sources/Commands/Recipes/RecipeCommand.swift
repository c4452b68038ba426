import ArgumentParser
import Console
import Glibc
import Providers
import ServerConfiguration

/// `ipnd recipe …`: commands for providers that a YAML file describes.
struct RecipeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recipe", abstract: "Check, test, list and show recipes.",
        discussion: """
            A recipe is a provider in one YAML file: how it signs, where its facts are and what \
            its words mean. ipnd ships some; recipes/NAME.yaml beside the configuration is your \
            own. config/recipes.md teaches the language.
            """,
        subcommands: [
            RecipeCheckCommand.self, RecipeTestCommand.self, RecipeListCommand.self,
            RecipeShowCommand.self,
        ])
}

/// `ipnd recipe check FILE`
struct RecipeCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Print every mistake of a recipe.",
        discussion: """
            Prints each mistake with its line and remedy. Exit status 0, or 78 if the recipe \
            cannot be used.

            Example: ipnd recipe check recipes/mypay.yaml
            """)

    @Argument(help: "The recipe's file.", completion: .file(extensions: ["yaml"]))
    var file: String
    @OptionGroup var display: TerminalOptions

    func run() throws {
        let recipe = try RecipeArgument.read(file, display)
        StandardOutput.print("\(file): \(recipe.title), no mistakes")
    }
}

/// `ipnd recipe test FILE --vectors FILE`
struct RecipeTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Run a recipe against a file of signed requests.",
        discussion: """
            The same as `ipnd vectors`, for a recipe that no configuration names yet. Exit status \
            0: everything is as the vectors say. 1: something differs. 78: the recipe has mistakes.

            Example: ipnd recipe test recipes/mypay.yaml --vectors mypay.json
            """)

    @Argument(help: "The recipe's file.", completion: .file(extensions: ["yaml"]))
    var file: String
    @Option(help: "The file of vectors.", completion: .file(extensions: ["json"]))
    var vectors: String
    @OptionGroup var display: TerminalOptions

    func run() throws {
        let recipe = try RecipeArgument.read(file, display)
        try VectorsCommand.check(vectors, recipe.descriptor, command: "recipe test")
    }
}

/// `ipnd recipe list`
struct RecipeListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the shipped recipes and your own.",
        discussion: """
            Your own are those in recipes/ beside the configuration. Exit status 78: one of them \
            has mistakes.

            Example: ipnd recipe list
            """)

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var display: TerminalOptions

    func run() throws {
        let own = ProviderCatalog.recipes(beside: file.config)
        var rows: [(name: String, origin: String, title: String)] = []
        for shipped in ShippedRecipe.all where !own.contains(where: { $0.name == shipped.name }) {
            rows.append((shipped.name, "shipped", shipped.file.recipe?.title ?? ""))
        }
        for recipe in own {
            let path = "recipes/\(recipe.name).yaml"
            rows.append((recipe.name, path, recipe.file.recipe?.title ?? "has mistakes"))
        }
        var table = TextTable([("name", .left), ("from", .left), ("title", .left)])
        for row in rows.sorted(by: { $0.name < $1.name }) {
            table.add([row.name, row.origin, row.title])
        }
        for line in table.lines { StandardOutput.print(line) }
        let findings = own.filter { $0.file.recipe == nil }.flatMap(\.file.findings)
        FindingPrinter(display).print(findings)
        guard findings.isEmpty else { throw ExitCode(ConfigurationError.exitStatus) }
    }
}

/// `ipnd recipe show NAME`
struct RecipeShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the YAML of a shipped recipe, to copy from.",
        discussion: "Example: ipnd recipe show \(ExampleName.recipe)")

    @Argument(
        help: "The recipe's name.",
        completion: .list(ShippedRecipe.all.map(\.name)))
    var name: String

    func run() throws {
        guard let recipe = ShippedRecipe.all.first(where: { $0.name == name }) else {
            throw ValidationError(
                KnownNames.complaint("recipe", name, among: ShippedRecipe.all.map(\.name)))
        }
        _ = StandardOutput.write(Array(recipe.text.utf8))
    }
}

/// The recipe that an argument names.
enum RecipeArgument {
    /// Reads the file and prints what was found in it. Ends with 78 (EX_CONFIG) after mistakes.
    static func read(_ file: String, _ display: TerminalOptions) throws -> Recipe {
        let read = RecipeFile(path: file)
        FindingPrinter(display).print(read.findings)
        if let recipe = read.recipe { return recipe }
        let mistakes = read.findings.count { $0.severity == .mistake }
        StandardError.print(counted(mistakes + read.mistakesOmitted, "mistake"))
        throw ExitCode(ConfigurationError.exitStatus)
    }
}
