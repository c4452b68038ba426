import ArgumentParser
import Glibc

/// Asks for missing values on a terminal. Without a terminal, a missing value is an error that
/// names the option.
struct Prompt {
    private let isTerminal = isatty(STDIN_FILENO) == 1

    /// The value of an option, or the answer to the question; an empty answer is the default.
    ///
    /// - Parameter check: The problem with an answer. It is explained, and the question asked
    ///   again. Options are checked with the whole configuration, which reports all at once.
    func text(
        _ question: String, _ given: String?, default standard: String? = nil, option: String,
        check: (String) -> String? = { _ in nil }
    ) throws -> String {
        if let given { return given }
        guard isTerminal else {
            if let standard { return standard }
            throw AddCommand.failure("give \(option): \(question)", EX_USAGE)
        }
        while true {
            write(standard.map { "\(question) [\($0)]: " } ?? "\(question): ")
            guard let line = readLine() else {
                throw AddCommand.failure("no answer", EX_USAGE)
            }
            let answer = line.trimmed
            guard !answer.isEmpty else {
                if let standard { return standard }
                continue
            }
            guard let problem = check(answer) else { return answer }
            write("  \(problem)\n")
        }
    }

    /// Whether to change what exists (true) or to add another.
    func mends(_ name: String) throws -> Bool {
        let question = "The configuration has an endpoint \(name). Mend it, or add another?"
        let answer = try text(question, nil, default: "mend", option: "--mend or --name") {
            answer in
            ["mend", "add", "another", "m", "a"].contains(answer.lowercased())
                ? nil : "write mend or add"
        }
        return answer.lowercased().hasPrefix("m")
    }

    /// Whether there is somebody to ask.
    var canAsk: Bool { isTerminal }

    /// The same without echo.
    func secret(
        _ question: String, option: String, check: (String) -> String? = { _ in nil }
    ) throws -> String {
        guard isTerminal else {
            throw AddCommand.failure("give \(option): \(question)", EX_USAGE)
        }
        var shown = termios()
        tcgetattr(STDIN_FILENO, &shown)
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSANOW, &shown)
            write("\n")
        }
        while true {
            write("\(question) (not shown): ")
            guard let line = readLine()?.trimmed, !line.isEmpty else {
                throw AddCommand.failure("no answer", EX_USAGE)
            }
            guard let problem = check(line) else { return line }
            write("\n  \(problem)\n")
        }
    }

    /// Writes to standard error, so that questions are not part of the output.
    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}

extension String {
    /// The text without surrounding white space, which copying may add.
    fileprivate var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
