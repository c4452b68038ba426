import ArgumentParser
import RawClient

/// Where `ipnd orders` and `ipnd events` read: the admin listener of a running server, or a
/// journal's files.
struct ReadingOptions: ParsableArguments {
    @OptionGroup var file: ConfigurationOption
    @Option(
        help: "The admin listener, where the configuration's address is not the one to call.",
        transform: { text in
            guard let destination = Destination(text), destination.target == nil else {
                throw ValidationError("“\(text)” is no URL such as http://127.0.0.1:9090")
            }
            return destination
        })
    var url: Destination?
    @Option(
        help: "Read this journal's files instead; no server needs to run.", completion: .directory)
    var journal: String?
    @Flag(help: "JSON Lines.") var json = false

    func validate() throws {
        if journal != nil, url != nil { throw ValidationError("give either --url or --journal") }
    }
}
