import Providers
import TestSupport
import Testing

@testable import ServerConfiguration

/// A merchant's recipe beside the configuration.
@Suite struct OwnRecipeTests {
    private static let configuration = """
        listeners: [{address: 127.0.0.1:1}]
        journal: {directory: journal}
        endpoints:
          - name: shop
            path: /ipn/shop
            provider: acme
            secrets: [{file: secrets/citcon}]
            merchantID: M-1

        """

    private func folder(_ recipe: String = RecipeText.acme) throws -> TemporaryFolder {
        let folder = try TemporaryFolder.filled()
        try folder.write("recipes/acme.yaml", recipe)
        return folder
    }

    private func mistakes(_ folder: TemporaryFolder, _ text: String = configuration) throws
        -> [Finding]
    {
        guard case .failure(let error) = try folder.load(text) else { return [] }
        return error.mistakes
    }

    @Test func `an endpoint finds it by its name`() throws {
        let folder = try folder()
        let configuration = try folder.load(Self.configuration).get()
        let endpoint = try #require(configuration.endpoints.first)
        #expect(endpoint.system == "acme" && endpoint.descriptor.title == "Acme Pay")
        #expect(endpoint.settings["merchantID"] == .text("M-1"))
        #expect(configuration.providers["acme"] != nil)
        #expect(ConfigurationCheck(configuration).passes)
        #expect(ConfigurationCheck(configuration).report.contains("POST /ipn/shop, acme"))
    }

    @Test func `its mistakes are those of the configuration, with its own file and line`() throws {
        let folder = try folder(RecipeText.acme.replacing("status: /type", with: "status: type"))
        let mistakes = try mistakes(folder)
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.file == "\(folder.path)/recipes/acme.yaml")
        #expect(mistakes.first?.line == 20 && mistakes.first?.key == "fields.status")
    }

    @Test func `a recipe that no endpoint names may be unfinished`() throws {
        let folder = try folder()
        try folder.write("recipes/draft.yaml", "provider: [")
        #expect(try mistakes(folder).isEmpty)
    }

    @Test func `its settings are checked like a provider's`() throws {
        let folder = try folder()
        let unknown = Self.configuration.replacing("merchantID", with: "merchantId")
        #expect(
            try mistakes(folder, unknown).map(\.remedy) == ["did you mean `merchantID`?"])
    }

    @Test(arguments: [
        ("antom", "antom", "no recipe can replace"),
        ("hmac", "hmac", "no recipe can replace"),
    ])
    func `it cannot take the place of a provider in Swift`(
        _ file: String, _ name: String, _ problem: String
    ) throws {
        let folder = try folder()
        try folder.write(
            "recipes/\(file).yaml",
            RecipeText.acme.replacing("provider: acme", with: "provider: \(name)"))
        let text = Self.configuration.replacing("provider: acme", with: "provider: \(file)")
        let mistakes = try mistakes(folder, text)
        #expect(mistakes.first?.key == "provider")
        #expect(mistakes.first?.problem.contains(problem) == true, "\(mistakes)")
    }

    @Test func `it may replace a shipped recipe only where it says so`() throws {
        guard let shipped = ShippedRecipe.all.first else { return }
        let folder = try folder()
        let recipe = RecipeText.acme.replacing("provider: acme", with: "provider: \(shipped.name)")
        let text = Self.configuration.replacing("provider: acme", with: "provider: \(shipped.name)")
        try folder.write("recipes/\(shipped.name).yaml", recipe)
        #expect(try mistakes(folder, text).map(\.key) == ["provider"])
        try folder.write("recipes/\(shipped.name).yaml", "replacesShipped: true\n\(recipe)")
        let configuration = try folder.load(text).get()
        #expect(configuration.endpoints.first?.descriptor.title == "Acme Pay")
    }

    @Test func `an unknown provider is compared with the recipes, too`() throws {
        let folder = try folder()
        let text = Self.configuration.replacing("provider: acme", with: "provider: acne")
        #expect(try mistakes(folder, text).first?.remedy.hasPrefix("did you mean `acme`?") == true)
        // Nothing but a name is looked for: no path leads out of the folder.
        try folder.write("acme.yaml", RecipeText.acme)
        let outside = Self.configuration.replacing("provider: acme", with: "provider: ../acme")
        #expect(
            try mistakes(folder, outside).contains { $0.problem.contains("is unknown") })
    }

    @Test func `an endpoint of it can be added`() throws {
        let folder = try folder()
        let file = try folder.write(
            "ipnd.yaml",
            """
            listeners: [{address: 127.0.0.1:1}]
            journal: {directory: journal}
            endpoints:
              - {name: shop, path: /ipn/shop, provider: acme,
                 secrets: [{file: secrets/citcon}], merchantID: M-1}

            """)
        let found = ProviderCatalog.provider(named: "acme", beside: file)
        let descriptor = try #require(found.descriptor)
        #expect(found.findings.isEmpty && found.known.contains("acme"))
        let addition = EndpointAddition(
            descriptor, name: "second", path: "/ipn/second",
            settings: [
                .init("secrets", .list([.flow([.init("file", .text("secrets/second"))])])),
                .init("merchantID", .text("M-2")),
            ], credential: Array("key\n".utf8))
        _ = try addition.add(to: file, environment: [:])
        let configuration = try Configuration.load(file: file, environment: [:])
        #expect(configuration.endpoints.map(\.system) == ["acme", "acme"])
        #expect(configuration.endpoints.last?.settings["merchantID"] == .text("M-2"))
    }
}
