import ArgumentParser
import Configuration
import Console
import Glibc
import Providers

/// `ipnd add PROVIDER`
struct AddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an endpoint to a configuration.",
        discussion: """
            Asks on a terminal for what the provider needs and no option gives. Writes the key or \
            secret to a file with mode 0600, checks the configuration with the endpoint as `ipnd \
            check` does, and only then writes the endpoint. Where the configuration has `include: \
            endpoints.d/*.yaml`, that is a new file there, endpoints.d/NAME.yaml, with the mode \
            and owner of the configuration; otherwise the configuration is replaced, and its \
            comments and layout stay. Says which URL to give the provider. A running server takes \
            the endpoint up on SIGHUP.

            Secrets are read from a file, from standard input (-), or on a terminal without being \
            shown; never from the command line. Exit status 78: the result would not start; \
            nothing was changed.

            Example: ipnd add \(ExampleName.provider) --config /etc/ipnd/ipnd.yaml
            """)

    @Argument(
        help:
            """
            The provider: \(Self.providers.joined(separator: ", ")), or a recipe of yours beside \
            the configuration.
            """,
        completion: .list(Self.providers))
    var provider: String
    @OptionGroup var file: ConfigurationOption
    @Option(help: "The endpoint's name (default: the provider's).") var name: String?
    @Option(help: "The path that the provider sends to (default: /ipn/NAME).") var path: String?
    @Option(help: "The public address before the path, such as https://pay.example.")
    var publicURL: String?
    @OptionGroup(title: "What the provider's dashboard shows") var values: ProviderValueOptions

    /// The names of ipnd's own providers, without reading a recipe.
    private static let providers =
        ProviderRegistry.list.map(\.name) + ProviderRegistry.recipes.map(\.name)

    func validate() throws {
        if let publicURL, !publicURL.hasPrefix("https://") || publicURL.count < 9 {
            throw ValidationError("--public-url: write https:// and your host name")
        }
    }

    func run() throws {
        let descriptor = try descriptor()
        let prompt = Prompt()
        let taken = Set(Configuration.endpointNames(inFile: file.config))
        let name = try prompt.text(
            "Name of the endpoint", self.name, default: Self.freeName(provider, taken),
            option: "--name")
        if taken.contains(name) {
            throw Self.failure("the configuration already has an endpoint \(name)", EX_USAGE)
        }
        // It becomes a file's name before the configuration is checked.
        guard !name.contains("/"), !name.hasPrefix(".") else {
            throw Self.failure("“\(name)” is not a valid endpoint name", EX_USAGE)
        }
        let path = try prompt.text(
            "Path that the provider sends to", self.path, default: "/ipn/\(name)",
            option: "--path")
        let settings = try values.settings(descriptor, name, prompt)
        let addition = EndpointAddition(
            descriptor, name: name, path: path, settings: settings,
            credential: try values.credential(descriptor, prompt))
        do throws(EndpointAdditionError) {
            let added = try addition.add(to: file.config)
            for warning in added.warnings { StandardError.print("\(warning)") }
            StandardOutput.print(advice(addition, added))
        } catch {
            throw Self.exit(error, addition, file.config)
        }
    }

    /// Ends with 78 (EX_CONFIG) where the provider's recipe has mistakes.
    private func descriptor() throws -> ProviderDescriptor {
        let found = ProviderCatalog.provider(named: provider, beside: file.config)
        for finding in found.findings { StandardError.print("\(finding)") }
        if let descriptor = found.descriptor { return descriptor }
        guard found.findings.isEmpty else {
            throw Self.failure("the recipe cannot be used", EX_CONFIG)
        }
        throw ValidationError(
            KnownNames.complaint("provider", provider, among: found.known))
    }

    private static func freeName(_ provider: String, _ taken: Set<String>) -> String {
        if !taken.contains(provider) { return provider }
        return (2...).lazy.map { "\(provider)-\($0)" }.first { !taken.contains($0) } ?? provider
    }

    private static func exit(
        _ error: EndpointAdditionError, _ addition: EndpointAddition, _ file: String
    ) -> ExitCode {
        switch error {
        case .mistakes(let findings):
            for finding in findings { StandardError.print("\(finding)") }
            return failure("nothing was changed", EX_CONFIG)
        case .noPlace:
            return failure(
                "\(file): there is no list `endpoints:` that an item can be added to safely; "
                    + "add this by hand"
                    + (addition.credential.map { ", and the key or secret to \($0.path)" } ?? "")
                    + ":\n"
                    + addition.lines.joined(separator: "\n"), EX_CONFIG)
        case .fileExists(let path):
            return failure("\(path) already exists; choose another --name", EX_USAGE)
        case .changed:
            return failure("\(file) was changed meanwhile; run it again", EX_CONFIG)
        case .system(let text): return failure(text, EX_CONFIG)
        }
    }

    static func failure(_ text: String, _ status: Int32) -> ExitCode {
        StandardError.print("ipnd add: \(text)")
        return ExitCode(status)
    }

    private func advice(_ addition: EndpointAddition, _ added: AddedEndpoint) -> String {
        var origin = publicURL ?? "https://YOUR-HOST"
        while origin.hasSuffix("/") { origin.removeLast() }
        let files = [added.file, addition.credential?.path].compactMap(\.self)
        let wrote = files.isEmpty ? "" : "; wrote \(files.joined(separator: " and "))"
        return """
            Added \(addition.name) to \(file.config)\(wrote).

            At \(addition.provider.title), enter this URL:
              \(origin)\(addition.path)
            as \(addition.provider.urlPlace).

            Then let the server read it: `systemctl reload ipnd`, or SIGHUP.
            config/going-live.md lists the values of each dashboard and what to check.
            """
    }
}
