extension Unicode.Scalar {
    /// Whether this character controls a display instead of being shown: C0 and C1 controls and DEL
    /// (ISO 6429; a terminal treats U+009B as ESC `[`), line and paragraph separators, and the
    /// marks that reorder a line (Unicode UAX #9). No such character from an untrusted sender may
    /// reach a log, a table or a spreadsheet.
    package var steersOutput: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// The text on one line, with U+FFFD for each character that controls a display.
    package var withoutSteering: String { withoutSteering(replacement: "\u{FFFD}") }

    /// The text with an escape such as `\u009b`, as JSON allows, for each non-ASCII character that
    /// controls a display. ASCII's controls are kept: a program writes them on purpose.
    package var escapingSteeringBeyondASCII: String {
        var escaped = ""
        for scalar in unicodeScalars {
            if scalar.steersOutput, scalar.value >= 0x7F {
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// - Parameter kept: Control characters that the format allows.
    package func withoutSteering(
        replacement: Unicode.Scalar, keeping kept: Set<Unicode.Scalar> = []
    ) -> String {
        guard unicodeScalars.contains(where: { $0.steersOutput && !kept.contains($0) }) else {
            return self
        }
        return String(
            UnicodeScalarView(
                unicodeScalars.map {
                    $0.steersOutput && !kept.contains($0) ? replacement : $0
                }))
    }
}

extension Span<UInt8> {
    /// Whether this UTF-8 text may contain a character that controls a display, apart from C0,
    /// which every writer escapes: U+007F, or a lead byte of the others.
    package var mayHoldSteering: Bool {
        var may = false
        for index in indices {
            let byte = self[index]
            may = may || byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2
        }
        return may
    }
}
