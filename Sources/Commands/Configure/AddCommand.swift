import ArgumentParser
import Console
import Glibc
import Providers
import ServerConfiguration

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
            shown; never from the command line. Each answer is checked when it is given. Exit \
            status 78: the result would not start; nothing was changed.

            --mend changes an endpoint that exists: the settings and the key or secret that \
            options give, or that are answered anew. Everything else stays as it is.

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
    @Flag(help: "Change the endpoint of this name instead of adding one.") var mend = false
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
        let check = AnswerCheck(descriptor, file: file.config)
        let taken = Set(Configuration.endpointNames(inFile: file.config))
        let usual = self.name ?? provider
        if mend { return try mend(usual, taken, descriptor, prompt, check) }
        if taken.contains(usual) {
            guard self.name == nil, prompt.canAsk else {
                throw Self.failure(
                    "the configuration already has an endpoint \(usual): --mend changes it, "
                        + "another --name adds one", EX_USAGE)
            }
            if try prompt.mends(usual) {
                return try mend(usual, taken, descriptor, prompt, check)
            }
        }
        let name = try prompt.text(
            "Name of the endpoint", self.name, default: Self.freeName(provider, taken),
            option: "--name"
        ) { Self.problem(withName: $0, taken) }
        if let problem = Self.problem(withName: name, taken) {
            throw Self.failure(problem, EX_USAGE)
        }
        let path = try prompt.text(
            "Path that the provider sends to", self.path, default: "/ipn/\(name)",
            option: "--path"
        ) { $0.hasPrefix("/") && !$0.contains("?") ? nil : "a path begins with / and has no query" }
        let settings = try values.settings(descriptor, name, prompt, check)
        let addition = EndpointAddition(
            descriptor, name: name, path: path, settings: settings,
            credential: try values.credential(descriptor, prompt, check))
        do throws(EndpointAdditionError) {
            let added = try addition.add(to: file.config)
            for warning in added.warnings { StandardError.print("\(warning)") }
            StandardOutput.print(advice(addition, added))
        } catch {
            throw Self.exit(error, addition, file.config)
        }
    }

    /// It becomes a file's name before the configuration is checked.
    private static func problem(withName name: String, _ taken: Set<String>) -> String? {
        if taken.contains(name) {
            return "the configuration already has an endpoint \(name)"
        }
        return name.contains("/") || name.hasPrefix(".")
            ? "“\(name)” is not a valid endpoint name" : nil
    }

    /// Changes an endpoint that exists.
    private func mend(
        _ name: String, _ taken: Set<String>, _ descriptor: ProviderDescriptor, _ prompt: Prompt,
        _ check: AnswerCheck
    ) throws {
        guard taken.contains(name) else {
            throw Self.failure(
                "--mend: " + KnownNames.complaint("endpoint", name, among: taken.sorted()), EX_USAGE
            )
        }
        let present = Configuration.provider(ofEndpoint: name, inFile: file.config)
        guard present == provider else {
            throw Self.failure(
                "the endpoint \(name) is of the provider \(present ?? "?")", EX_USAGE)
        }
        var settings = try values.changes(descriptor, prompt, check)
        if let path { settings.insert(("path", path), at: 0) }
        let credential = try values.credential(descriptor, prompt, check, isMending: true)
        let mending = EndpointMending(name, settings: settings, credential: credential)
        do throws(EndpointAdditionError) {
            let (changes, warnings) = try mending.apply(to: file.config)
            for warning in warnings { StandardError.print("\(warning)") }
            guard !changes.isEmpty else {
                StandardOutput.print("Nothing to change at \(name).")
                return
            }
            StandardOutput.print("Changed \(name) in \(file.config):")
            for change in changes {
                let before = change.before.map { $0.isEmpty ? "not set" : $0 }
                let words = before.map { "\($0) -> \(change.after ?? "")" } ?? "replaced"
                StandardOutput.print("  \(change.key): \(words)")
            }
            StandardOutput.print("Then let the server read it: `systemctl reload ipnd`, or SIGHUP.")
        } catch {
            guard case .noPlace = error else {
                throw Self.exit(error, nil, file.config)
            }
            throw Self.failure(
                "\(file.config): a value of \(name) is not one word on one line; change it by "
                    + "hand. Nothing was changed", EX_CONFIG)
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
            KnownNames.complaint("provider", provider, among: found.known)
                + ". Any other HMAC webhook: `ipnd add hmac`, or a recipe (config/recipes.md)")
    }

    private static func freeName(_ provider: String, _ taken: Set<String>) -> String {
        if !taken.contains(provider) { return provider }
        return (2...).lazy.map { "\(provider)-\($0)" }.first { !taken.contains($0) } ?? provider
    }

    private static func exit(
        _ error: EndpointAdditionError, _ addition: EndpointAddition?, _ file: String
    ) -> ExitCode {
        switch error {
        case .mistakes(let findings):
            for finding in findings { StandardError.print("\(finding)") }
            return failure("nothing was changed", EX_CONFIG)
        case .noPlace:
            return failure(
                "\(file): there is no list `endpoints:` that an item can be added to safely; "
                    + "add this by hand"
                    + (addition?.credential.map { ", and the key or secret to \($0.path)" } ?? "")
                    + ":\n" + (addition?.lines ?? []).joined(separator: "\n"), EX_CONFIG)
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
