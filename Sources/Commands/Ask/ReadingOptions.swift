import ArgumentParser
import Journal
import JournalStore
import Platform
import RawClient
import Records
import ServerConfiguration

/// The source of `ipnd orders` and `ipnd events`: the admin listener of a running server, or a
/// journal's files.
struct ReadingOptions: ParsableArguments {
    @OptionGroup var file: ConfigurationOption
    @Option(
        help: "URL of the admin listener, if it differs from the configuration.",
        transform: AdminURL.read)
    var url: Destination?
    @Option(
        help: "Read this journal directory instead; needs no running server.",
        completion: .directory)
    var journal: String?
    @Flag(help: "Print JSON Lines.") var json = false
    @OptionGroup var display: TerminalOptions

    /// Returns an opener for the records of a journal that is read without a server, by the master
    /// keys of the configuration; nil without one.
    func opener(of directory: String) throws -> RecordOpener? {
        guard try KeysFile.read(in: directory) != nil,
            let configuration = try? file.load()
        else { return nil }
        return try SealedJournal.opener(directory, configuration.personal.masterKeys)
    }

    func validate() throws {
        if journal != nil, url != nil { throw ValidationError("give either --url or --journal") }
    }
}

/// The running server to ask.
struct ServerOptions: ParsableArguments {
    @OptionGroup var file: ConfigurationOption
    @Option(
        help: "URL of the admin listener, if it differs from the configuration.",
        transform: AdminURL.read)
    var url: Destination?
}

/// Reads the URL of an admin listener.
enum AdminURL {
    static func read(_ text: String) throws -> Destination {
        guard let destination = Destination(text), destination.target == nil else {
            throw ValidationError("“\(text)” is not a valid URL; write http://127.0.0.1:9090")
        }
        return destination
    }

    /// The address of a configuration's admin listener, as seen from this machine.
    static func destination(_ admin: AdminConfiguration) -> Destination {
        switch admin.address {
        case .unix(let path):
            return Destination(place: .unix(path: path), usesTLS: admin.tls != nil)
        case .ip(let address, let port):
            // A server that listens on all addresses also listens on loopback.
            let local = ["0.0.0.0": "127.0.0.1", "::": "::1"]["\(address)"]
            return Destination(
                place: .host(local ?? "\(address)", port: port), usesTLS: admin.tls != nil)
        }
    }
}
