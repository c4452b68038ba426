import ArgumentParser
import ServerConfiguration

extension CompletionKind {
    /// The endpoints of the command line's configuration.
    static let endpoints = CompletionKind.custom { words, _, _ in
        Configuration.endpointNames(inFile: EndpointCompletion.file(words))
    }
}

/// Finds the configuration for shell completion.
enum EndpointCompletion {
    private static let option = "--config"

    /// The value of `--config` among the words so far, or its default.
    static func file(_ words: [String]) -> String {
        for (index, word) in words.enumerated() {
            if word == option, index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
        }
        return ConfigurationFile.usual()
    }
}
