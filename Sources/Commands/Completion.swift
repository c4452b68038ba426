import ArgumentParser
import Configuration

extension CompletionKind {
    /// The names of the endpoints in the configuration that the command line names, or in the one
    /// that it means.
    static let endpoints = CompletionKind.custom { words, _, _ in
        Configuration.endpointNames(inFile: EndpointCompletion.file(words))
    }
}

/// What a shell asks while somebody types.
enum EndpointCompletion {
    private static let option = "--config"

    /// The value of `--config` among the words so far; the option's default where it is not there.
    static func file(_ words: [String]) -> String {
        for (index, word) in words.enumerated() {
            if word == option, index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
        }
        return "ipnd.yaml"
    }
}
