import ArgumentParser
import Console
import Platform
import Providers
import ServerConfiguration

/// `ipnd init DIR`
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create a ready-to-run folder with fresh sandbox keys for every provider.",
        discussion: """
            Creates ipnd.yaml, keys/, secrets/ and journal/, endpoints.d/ for `ipnd add`, and \
            sandbox/ with the provider's side of the keys for `ipnd send` and `ipnd simulate`. \
            Nothing is overwritten.

            Example: ipnd init sandbox
            """)

    @Argument(help: "The folder to create.", completion: .directory)
    var folder: String

    @Option(help: "Address for notifications: host:port, [::1]:port or unix:/path.")
    var listen = "127.0.0.1:8080"

    @Option(help: "Address of the admin API.")
    var admin = "127.0.0.1:9090"

    @Option(help: "Address at which `ipnd simulate` will answer inquiries.")
    var simulator = "\(SandboxFolder.simulator)"

    @Flag(inversion: .prefixedNo, help: "Have providers asked about orders (`inquiry:`).")
    var inquiry = true

    func run() throws {
        let listen = try address(listen, option: "--listen")
        let admin = try address(admin, option: "--admin")
        let simulator = try address(simulator, option: "--simulator")
        do throws(SandboxFolderError) {
            let made = try SandboxFolder.create(
                at: folder, listen: listen, admin: admin, simulator: inquiry ? simulator : nil)
            // A journal of an earlier sandbox in this folder is no longer used.
            let use = PriorUse(
                journal: "\(made.folder)/journal", index: "\(made.folder)/index",
                file: "\(made.folder)/ipnd.yaml")
            use.forget()
            let endpoint = ExampleName.endpoint
            StandardOutput.print("Created in \(made.folder):")
            for file in made.files { StandardOutput.print("  \(file)") }
            StandardOutput.print(
                """

                Next, in two terminals:
                  ipnd serve --config \(shellQuoted(made.configuration))
                  ipnd send --config \(shellQuoted(made.configuration)) --endpoint \(endpoint)
                or, with lost notifications and a provider that can be asked:
                  ipnd simulate --config \(shellQuoted(made.configuration)) --count 20 --loss 0.3
                """)
            if let pages = admin.pagesURL(hasTLS: false) {
                StandardOutput.print(
                    "Pages: \(pages), with the token in \(made.folder)/secrets/admin-token")
            }
        } catch {
            StandardError.print("ipnd init: \(error)")
            throw ExitCode(ConfigurationError.exitStatus)
        }
    }

    private func address(_ text: String, option: String) throws -> SocketAddress {
        guard let address = SocketAddress(text) else {
            throw ValidationError(
                "\(option): “\(text)” is not a valid address; write 127.0.0.1:8080, "
                    + "[::1]:8080 or unix:/path"
            )
        }
        return address
    }

    /// The path, quoted for a shell where necessary.
    private func shellQuoted(_ path: String) -> String {
        if path.allSatisfy({ $0.isLetter || $0.isNumber || "/._-+".contains($0) }) { return path }
        let parts = path.split(separator: "'", omittingEmptySubsequences: false)
        return "'\(parts.joined(separator: "'\\''"))'"
    }
}
