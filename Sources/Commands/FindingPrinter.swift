import Console
import Glibc
import Platform
import ServerConfiguration

/// Prints findings to standard error. The position is not wrapped, so that an editor can jump to
/// it.
struct FindingPrinter {
    private let terminal: Terminal

    init(_ display: TerminalOptions) {
        terminal = Terminal(
            descriptor: STDERR_FILENO, color: display.color, now: SystemClock().coarseWallSeconds)
    }

    func print(_ findings: [Finding]) {
        for finding in findings {
            let text = terminal.wrapped("\(finding)", indent: 2)
            let rest = text.dropFirst(finding.place.count)
            let word = finding.severity.rawValue
            StandardError.print(
                terminal.bold(finding.place)
                    + rest.replacing(": \(word):", with: ": \(terminal.colored(word, as: word)):"))
        }
    }
}
