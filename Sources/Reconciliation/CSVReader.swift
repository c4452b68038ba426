/// Splits CSV (RFC 4180) into rows, piece by piece and in bounded memory.
///
/// Lines end with CRLF, LF or CR. A field that begins with a quote ends with one; inside, two
/// quotes stand for one, and separators and line breaks are text. A malformed row is reported with
/// its line, and reading continues with the next one: nothing is skipped silently.
package struct CSVReader: Sendable {
    /// A row, or the reason why it cannot be read.
    package enum Item: Sendable, Equatable {
        case row(line: Int, fields: [String])
        case broken(line: Int, CSVMistake)
    }

    private enum State {
        case fieldStart, plain, quoted, quoteInQuoted
        /// In the rest of a malformed line.
        case skipping
    }

    /// Maximum size of a row in bytes: a longer one has probably lost a quote.
    package static let rowBytesMax = 1 << 16

    private let separator: UInt8
    private var state = State.fieldStart
    private var fields: [[UInt8]] = []
    private var field: [UInt8] = []
    private var rowBytes = 0
    /// The current line and the line on which the row began, from 1.
    private var line = 1
    private var rowLine = 1
    private var previousWasCR = false
    private var mark: [UInt8]? = []

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let quote = UInt8(ascii: "\"")
    private static let cr: UInt8 = 0x0D
    private static let lf: UInt8 = 0x0A

    package init(separator: UInt8 = UInt8(ascii: ",")) { self.separator = separator }

    /// Reads more bytes; calls `found` with each complete row.
    package mutating func feed(_ bytes: some Sequence<UInt8>, _ found: (Item) -> Void) {
        for byte in bytes {
            guard var start = mark else {
                take(byte, found)
                continue
            }
            // Spreadsheets begin a file with a byte order mark.
            start.append(byte)
            if Self.byteOrderMark.starts(with: start), start.count < 3 {
                mark = start
                continue
            }
            mark = nil
            if start != Self.byteOrderMark { for byte in start { take(byte, found) } }
        }
    }

    /// Ends the file.
    package mutating func finish(_ found: (Item) -> Void) {
        if let start = mark {
            mark = nil
            for byte in start { take(byte, found) }
        }
        switch state {
        case .quoted: found(.broken(line: rowLine, .unclosedQuote))
        case .skipping: break
        case .fieldStart, .plain, .quoteInQuoted: endRow(found)
        }
        state = .fieldStart
    }

    private mutating func take(_ byte: UInt8, _ found: (Item) -> Void) {
        defer { previousWasCR = byte == Self.cr }
        let isSecondOfPair = byte == Self.lf && previousWasCR
        if state == .quoted {
            if byte == Self.cr || byte == Self.lf && !isSecondOfPair { line += 1 }
            if byte == Self.quote { state = .quoteInQuoted } else { append(byte, found) }
            return
        }
        if isSecondOfPair { return }
        if byte == Self.cr || byte == Self.lf {
            if state == .skipping { startRow() } else { endRow(found) }
            line += 1
            rowLine = line
            return
        }
        switch state {
        case .skipping, .quoted: break
        case .fieldStart where byte == Self.quote: state = .quoted
        case .fieldStart, .plain:
            if byte == separator { endField() } else { append(byte, found) }
            if state == .fieldStart, byte != separator { state = .plain }
        case .quoteInQuoted:
            if byte == Self.quote {
                state = .quoted
                append(byte, found)
            } else if byte == separator {
                endField()
            } else {
                breakRow(.textAfterQuote, found)
            }
        }
    }

    private mutating func append(_ byte: UInt8, _ found: (Item) -> Void) {
        rowBytes += 1
        guard rowBytes <= Self.rowBytesMax else {
            breakRow(.tooLong(bytesMax: Self.rowBytesMax), found)
            return
        }
        field.append(byte)
    }

    private mutating func endField() {
        fields.append(field)
        field = []
        state = .fieldStart
    }

    private mutating func endRow(_ found: (Item) -> Void) {
        defer { startRow() }
        // An empty line is not a row.
        if fields.isEmpty, field.isEmpty, state == .fieldStart { return }
        endField()
        var texts: [String] = []
        for field in fields {
            guard let text = String(validating: field, as: UTF8.self), !field.contains(0) else {
                found(.broken(line: rowLine, .notText))
                return
            }
            texts.append(text)
        }
        found(.row(line: rowLine, fields: texts))
    }

    private mutating func breakRow(_ mistake: CSVMistake, _ found: (Item) -> Void) {
        found(.broken(line: rowLine, mistake))
        startRow()
        state = .skipping
    }

    private mutating func startRow() {
        fields = []
        field = []
        rowBytes = 0
        state = .fieldStart
    }
}

/// The kind of a malformed row.
package enum CSVMistake: Error, Sendable, Equatable {
    /// `"a` up to the end of the file.
    case unclosedQuote
    /// `"a"b`
    case textAfterQuote
    case tooLong(bytesMax: Int)
    /// The field is not UTF-8, or contains a NUL.
    case notText
}

extension CSVMistake: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unclosedQuote: "a quoted field is not closed"
        case .textAfterQuote: "text follows a closing quote"
        case .tooLong(let bytesMax):
            "the row has more than \(bytesMax) bytes; is a closing quote missing?"
        case .notText: "the row is not UTF-8 text"
        }
    }
}
