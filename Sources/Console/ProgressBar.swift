import Glibc

/// A progress bar on standard error, drawn on a terminal only and at most once per percent.
package final class ProgressBar {
    private static let width = 40

    private let title: String
    private let isShown: Bool
    private var drawn = -1

    package init(_ title: String) {
        self.title = title
        isShown = isatty(STDERR_FILENO) == 1
    }

    package func show(_ done: Int, of total: Int) {
        guard isShown, total > 0 else { return }
        let percent = min(100, done * 100 / total)
        guard percent != drawn else { return }
        drawn = percent
        let filled = percent * Self.width / 100
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: Self.width - filled)
        put("\r\(title) [\(bar)] \(percent) %")
    }

    /// Erases the bar.
    package func finish() {
        if isShown, drawn >= 0 { put("\r\u{1B}[K") }
    }

    private func put(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
