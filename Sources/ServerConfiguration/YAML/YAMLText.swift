import Yams

/// Parses the text of a configuration into Yams' node tree, whose nodes have line and column.
///
/// Yams stops at a key that appears twice and reports only its first place. Here the first one is
/// renamed in memory, to a name that does not occur by accident, and the text is parsed again. So
/// the second place is found too, and all other mistakes in the file.
struct YAMLText {
    /// Maximum number of bytes. Configurations are short; a longer file is some other file.
    static let bytesMax = 1 << 20
    /// Maximum number of repeated keys that one run reports.
    private static let repeatedKeysMax = 32
    /// Maximum number of bytes that are parsed for that in total: a long text is parsed fewer
    /// times.
    private static let parsedBytesMax = 4 << 20
    /// Maximum number of aliases. Each alias may double the value of the next one, and Yams expands
    /// a key to compare it: a few are a convenience, many are an attack.
    private static let aliasesMax = 24
    /// The first code point of the Private Use Area, which has no meaning in any script.
    private static let markerBase: UInt32 = 0xE000

    private var text: String

    init(_ text: String) {
        // Some editors write a byte order mark.
        self.text = text.hasPrefix("\u{feff}") ? String(text.dropFirst()) : text
    }

    /// The root node; nil when the text is empty or broken, which is then reported to `reading`.
    func root(_ reading: DecodingContext) -> Node? {
        if let line = lineOfTooManyAliases {
            reading.report(
                line: line, problem: "there are more than \(Self.aliasesMax) YAML aliases",
                remedy: "write the values out")
            return nil
        }
        var text = self
        let rounds = min(
            Self.repeatedKeysMax, max(1, Self.parsedBytesMax / max(1, self.text.utf8.count)))
        var repeats: [RepeatedKey] = []
        for round in 0..<rounds {
            do {
                guard let node = try Yams.compose(yaml: text.text, .basic, .default, .utf8) else {
                    reading.report(
                        line: 1, problem: "the file is empty",
                        remedy: reading.main == nil
                            ? "config/ipnd.yaml shows every key; `ipnd init` makes a first one"
                            : "write one endpoint, or remove the file")
                    return nil
                }
                return node
            } catch YamlError.duplicatedKeysInMapping(let names, let context) {
                let repeated = RepeatedKey(name: names.first ?? "", first: context.mark)
                let name = text.rename(repeated, UInt32(round))
                guard let name else {
                    reading.reportRepeated(repeated, at: repeated.first, key: repeated.name)
                    return nil
                }
                reading.repeatedKeys[name] = repeated
                repeats.append(repeated)
            } catch {
                reading.report(error, in: self.text)
                return nil
            }
        }
        // The text was never parsed to its end, so only the first place of each is known.
        for repeated in repeats {
            reading.report(
                at: repeated.first, key: repeated.name,
                problem: "appears twice in one mapping; this is the first",
                remedy: "keep one of them; there are more such keys than are shown at once")
        }
        return nil
    }

    /// The line with the first alias beyond the limit. Each `*` that begins a word outside comments
    /// is counted, which is at least the number of aliases.
    private var lineOfTooManyAliases: Int? {
        var count = 0
        var line = 1
        var previous: Unicode.Scalar = "\n"
        var isComment = false
        for scalar in text.unicodeScalars {
            let beginsWord = " \t\r\n[]{},:\"'".unicodeScalars.contains(previous)
            switch scalar {
            case "\n", "\r":
                isComment = false
                if scalar == "\r" || previous != "\r" { line += 1 }
            case "#" where beginsWord: isComment = true
            case "*" where beginsWord && !isComment:
                count += 1
                if count > Self.aliasesMax { return line }
            default: break
            }
            previous = scalar
        }
        return nil
    }

    /// Replaces the first character of the key at its first place and returns the new name. Returns
    /// nil where the place does not hold the key itself, because an anchor or a tag precedes it.
    private mutating func rename(_ key: RepeatedKey, _ round: UInt32) -> String? {
        guard let marker = Unicode.Scalar(Self.markerBase + round), !key.name.isEmpty else {
            return nil
        }
        var scalars = text.unicodeScalars
        var index = scalars.startIndex
        // YAML 1.1 ends lines with LF, CR LF or CR; libyaml counts them alike.
        var line = 1
        while line < key.first.line, index < scalars.endIndex {
            let scalar = scalars[index]
            index = scalars.index(after: index)
            if scalar == "\r", index < scalars.endIndex, scalars[index] == "\n" {
                index = scalars.index(after: index)
            }
            if scalar == "\n" || scalar == "\r" { line += 1 }
        }
        guard
            var start = scalars.index(
                index, offsetBy: key.first.column - 1, limitedBy: scalars.endIndex),
            start < scalars.endIndex
        else { return nil }
        if scalars[start] == "\"" || scalars[start] == "'" { start = scalars.index(after: start) }
        guard scalars[start...].starts(with: key.name.unicodeScalars) else { return nil }
        scalars.replaceSubrange(start...start, with: CollectionOfOne(marker))
        text = String(scalars)
        return String(Character(marker)) + String(key.name.unicodeScalars.dropFirst())
    }
}

extension DecodingContext {
    func reportRepeated(_ repeated: RepeatedKey, at mark: Mark?, key: String) {
        report(
            at: mark, key: key,
            problem: "appears twice, first in line \(repeated.first.line)",
            remedy: "keep one of them")
    }

    /// Reports the error that Yams found in broken YAML. Only its own words: the text around may be
    /// a secret.
    func report(_ error: any Error, in text: String) {
        switch error {
        case YamlError.scanner(_, let problem, let mark, _),
            YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _):
            report(
                at: mark, key: "", problem: "this is not YAML: \(problem)",
                remedy: "check the indentation, the brackets and the quotes up to this place")
        case YamlError.reader(let problem, _, _, _):
            report(
                line: Self.lineOfControlCharacter(text), problem: "this is not YAML: \(problem)",
                remedy: "save the file as UTF-8 text without control characters")
        default:
            report(line: 1, problem: "this is not YAML", remedy: "check its syntax")
        }
    }

    /// The line of the first character that YAML does not allow (YAML 1.1 §5.1), or 1.
    private static func lineOfControlCharacter(_ text: String) -> Int {
        var line = 1
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A: line += 1
            case 0x09, 0x0D, 0x85: break
            case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: return line
            default: break
            }
        }
        return 1
    }
}
