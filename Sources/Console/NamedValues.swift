import JSON

/// Named results in a fixed order: lines for people, and members of one JSON object for programs.
///
/// ```swift
/// var report = NamedValues()
/// report.line("records", "\(count)")
/// report.member("records", count)
/// StandardOutput.print(isJSON ? report.jsonText : report.text())
/// ```
package struct NamedValues: Sendable {
    package enum Value: Sendable {
        case integer(Int128)
        case bool(Bool)
        case text(String)
        case null
        case integers([UInt64])
        /// Counts by name, written in the order of the names.
        case counts([String: Int])
        case object(NamedValues)
        case objects([NamedValues])
    }

    package private(set) var lines: [(name: String, value: String)] = []
    package private(set) var members: [(name: String, value: Value)] = []

    /// Columns from the beginning of a name to its value.
    package static let nameWidth = 13

    package init() {}

    /// Adds a line for people.
    package mutating func line(_ name: String, _ value: String) { lines.append((name, value)) }

    /// Adds a member for programs.
    package mutating func member(_ name: String, _ value: Value) { members.append((name, value)) }

    package mutating func member(_ name: String, _ value: some BinaryInteger) {
        members.append((name, .integer(Int128(value))))
    }

    package mutating func member(_ name: String, _ value: Bool) {
        members.append((name, .bool(value)))
    }

    /// Adds a text; null where it is nil.
    package mutating func member(_ name: String, _ value: String?) {
        members.append((name, value.map { .text($0) } ?? .null))
    }

    /// Adds a line and a member of one name and value.
    package mutating func pair(_ name: String, _ value: some BinaryInteger) {
        line(name, "\(value)")
        member(name, value)
    }

    /// The lines, with all values in one column; names are bold where the terminal has colours.
    package func lines(
        nameWidth: Int = NamedValues.nameWidth, on terminal: Terminal = .none
    ) -> [String] {
        lines.map { name, value in
            terminal.bold(name)
                + String(repeating: " ", count: max(2, nameWidth - name.count)) + value
        }
    }

    package func text(
        nameWidth: Int = NamedValues.nameWidth, on terminal: Terminal = .none
    ) -> String {
        lines(nameWidth: nameWidth, on: terminal).joined(separator: "\n")
    }

    /// The members as one JSON object.
    package var json: [UInt8] {
        var writer = JSONWriter(reserving: 512)
        write(to: &writer)
        return writer.bytes
    }

    package var jsonText: String { String(decoding: json, as: UTF8.self) }

    fileprivate func write(to json: inout JSONWriter) {
        json.object { for (name, value) in members { $0.member(name, value) } }
    }
}

extension NamedValues.Value: JSONWritable {
    package func write(to json: inout JSONWriter) {
        switch self {
        case .integer(let integer): json.integer(integer)
        case .bool(let bool): json.boolean(bool)
        case .text(let text): json.string(text)
        case .null: json.null()
        case .integers(let integers): integers.write(to: &json)
        case .counts(let counts):
            json.object { json in
                for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                    json.member(name, count)
                }
            }
        case .object(let report): report.write(to: &json)
        case .objects(let reports): json.array { for report in reports { report.write(to: &$0) } }
        }
    }
}

/// `1 record`, `2 records`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}
