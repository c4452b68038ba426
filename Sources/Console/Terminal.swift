import Glibc
import Payments

/// The properties of an output: its width and colours. Output for programs has neither.
package struct Terminal: Sendable {
    /// When colours are used.
    package enum ColorChoice: String, Sendable, CaseIterable {
        /// On a terminal, unless `NO_COLOR` is set (no-color.org) or `TERM` is `dumb`.
        case auto
        case always, never
    }

    /// Columns; nil if the output is not a terminal.
    package let width: Int?
    package let hasColor: Bool
    /// The present, in seconds since 1970: times of today are shown shorter.
    let now: Int

    /// A pipe or a file.
    package static let none = Terminal(width: nil, hasColor: false, now: 0)

    package init(width: Int?, hasColor: Bool, now: Int) {
        self.width = width
        self.hasColor = hasColor
        self.now = now
    }

    /// Reads the properties of `descriptor`.
    ///
    /// - Parameter now: Seconds since 1970.
    package init(
        descriptor: Int32 = STDOUT_FILENO, color: ColorChoice = .auto, now: Int
    ) {
        let isTerminal = isatty(descriptor) == 1
        width = isTerminal ? Self.columns(of: descriptor) : nil
        hasColor =
            switch color {
            case .always: true
            case .never: false
            case .auto:
                isTerminal && Self.variable("NO_COLOR")?.isEmpty != false
                    && Self.variable("TERM") != "dumb"
            }
        self.now = now
    }

    /// A copy with `count` fewer columns.
    package func narrowed(by count: Int) -> Terminal {
        Terminal(width: width.map { $0 - count }, hasColor: hasColor, now: now)
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The width from the kernel, else from `COLUMNS`, else 80.
    private static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return variable("COLUMNS").flatMap { Int($0) }.map { max(20, $0) } ?? 80
    }

    // MARK: Colours (ECMA-48, SGR)

    private func styled(_ text: String, _ code: Int) -> String {
        hasColor && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    package func bold(_ text: String) -> String { styled(text, 1) }

    /// `text` in the colour of `word`: green for success, red for problems, yellow for open states,
    /// faint for no change.
    package func colored(_ text: String, as word: String) -> String {
        guard let code = Self.colors[word] else { return text }
        return styled(text, code)
    }

    private static let colors: [String: Int] = {
        let (red, green, yellow, faint) = (31, 32, 33, 2)
        let words = [
            green: [
                "paid", "recorded", "delivering", "delivered", "succeeded", "dispute_won",
                "accepted", "captured",
            ],
            red: [
                "review", "conflict", "failed", "disputed", "charged_back", "failing", "dead",
                "refused", "unavailable", "lost", "rejected", "mistake",
                "missing_here", "missing_there", "other_amount", "other_status",
            ],
            yellow: [
                "pending", "authorized", "partially_refunded", "waiting", "paused",
                "paused (410)", "not served", "open", "warning", "new_doubt", "not_answered",
            ],
            faint: ["duplicate", "ignored", "canceled", "expired", "closed"],
        ]
        return words.reduce(into: [:]) { colors, entry in
            for word in entry.value { colors[word] = entry.key }
        }
    }()

    // MARK: Times

    /// `2026-11-21T07:00:00.123456Z` in the local time zone: `08:00:00` today, `Nov 21 08:00`
    /// within 300 days, otherwise `2025-11-21`. Other texts are returned unchanged.
    package func time(_ text: String) -> String {
        guard width != nil, let timestamp = Timestamp(iso8601: text) else { return text }
        let seconds = Int(timestamp.microseconds / 1_000_000)
        let (then, today) = (Self.local(seconds), Self.local(now))
        if then.tm_year == today.tm_year, then.tm_yday == today.tm_yday {
            return Self.format(then, "%H:%M:%S")
        }
        let isNear = abs(now - seconds) < 300 * 86_400
        return Self.format(then, isNear ? "%b %e %H:%M" : "%Y-%m-%d")
    }

    private static func local(_ seconds: Int) -> tm {
        var (seconds, parts) = (time_t(seconds), tm())
        localtime_r(&seconds, &parts)
        return parts
    }

    private static func format(_ parts: tm, _ form: String) -> String {
        var parts = parts
        var bytes = [CChar](repeating: 0, count: 64)
        let count = strftime(&bytes, bytes.count, form, &parts)
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
