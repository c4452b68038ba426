import ArgumentParser
import RawClient

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
