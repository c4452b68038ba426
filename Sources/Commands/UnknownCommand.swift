import ArgumentParser
import Console

/// A word of the command line in the place of a command that names none. The parser calls such a
/// word an unexpected argument, and `help` ignores it.
struct UnknownCommand: CustomStringConvertible {
    /// The commands before it, such as `ipnd journal`.
    let path: String
    let word: String
    let known: [String]

    /// Nil where every word that should name a command does.
    static func find(in words: [String]) -> UnknownCommand? {
        var command: any ParsableCommand.Type = Ipnd.self
        var path = ["ipnd"]
        var rest = words[...]
        if rest.first == "help" { rest.removeFirst() }
        while let word = rest.first, !word.hasPrefix("-") {
            let subcommands = command.configuration.subcommands
            // The word may be an argument of the command, or of its default.
            guard !subcommands.isEmpty else { return nil }
            let found = subcommands.first { $0.configuration.commandName == word }
            if found == nil, command.configuration.defaultSubcommand != nil { return nil }
            guard let found else {
                return UnknownCommand(
                    path: path.joined(separator: " "), word: word,
                    known: subcommands.compactMap { $0.configuration.commandName })
            }
            command = found
            path.append(word)
            rest.removeFirst()
        }
        return nil
    }

    var description: String {
        "\(path): \(KnownNames.complaint("command", word, among: known))"
    }
}
