import ArgumentParser
import Glibc

/// Asks for missing values on a terminal. Without a terminal, a missing value is an error that
/// names the option.
struct Prompt {
    private let isTerminal = isatty(STDIN_FILENO) == 1

    /// The value of an option, or the answer to the question; an empty answer is the default.
    func text(
        _ question: String, _ given: String?, default standard: String? = nil, option: String
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
            if !answer.isEmpty { return answer }
            if let standard { return standard }
        }
    }

    /// The same without echo.
    func secret(_ question: String, option: String) throws -> String {
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
        write("\(question) (not shown): ")
        guard let line = readLine()?.trimmed, !line.isEmpty else {
            throw AddCommand.failure("no answer", EX_USAGE)
        }
        return line
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
