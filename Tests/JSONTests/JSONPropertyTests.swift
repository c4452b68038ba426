import JSON
import TestSupport
import Testing

/// A document as a plain tree, to compare what was written with what was read.
private indirect enum Tree: Equatable {
    case object([(String, Tree)])
    case array([Tree])
    case string(String)
    case number(String)
    case boolean(Bool)
    case null

    static func == (first: Tree, second: Tree) -> Bool {
        switch (first, second) {
        case (.object(let first), .object(let second)):
            first.count == second.count
                && zip(first, second).allSatisfy { same($0.0, $1.0) && $0.1 == $1.1 }
        case (.array(let first), .array(let second)): first == second
        case (.string(let first), .string(let second)): same(first, second)
        case (.number(let first), .number(let second)): first == second
        case (.boolean(let first), .boolean(let second)): first == second
        case (.null, .null): true
        default: false
        }
    }

    /// Compared by scalars: `String`'s == treats canonically equivalent texts as equal.
    private static func same(_ first: String, _ second: String) -> Bool {
        first.unicodeScalars.elementsEqual(second.unicodeScalars)
    }

    init(_ value: JSONValue) {
        switch value.kind {
        case .object: self = .object(value.members.map { ($0.key, Tree($0.value)) })
        case .array: self = .array(value.elements.map(Tree.init))
        case .string: self = .string(value.string ?? "")
        case .number: self = .number(value.lexeme ?? "")
        case .boolean: self = .boolean(value.bool ?? false)
        case .null: self = .null
        }
    }

    func write(_ writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            writer.beginObject()
            for (name, value) in members {
                writer.key(name)
                value.write(&writer)
            }
            writer.endObject()
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(&writer) }
            writer.endArray()
        case .string(let text): writer.string(text)
        case .number(let lexeme): writer.raw(Array(lexeme.utf8)[...])
        case .boolean(let value): writer.boolean(value)
        case .null: writer.null()
        }
    }

    /// The same tree, read by the scanner.
    init(scanning scanner: inout JSONScanner, like tree: Tree) throws {
        switch tree {
        case .object(let members):
            try scanner.beginObject()
            var scanned: [(String, Tree)] = []
            while let name = try scanner.nextKey() {
                guard scanned.count < members.count else { break }
                let like = members[scanned.count].1
                scanned.append((name, try Tree(scanning: &scanner, like: like)))
            }
            self = .object(scanned)
        case .array(let elements):
            try scanner.beginArray()
            var scanned: [Tree] = []
            while try scanner.nextElement() {
                guard scanned.count < elements.count else { break }
                scanned.append(try Tree(scanning: &scanner, like: elements[scanned.count]))
            }
            self = .array(scanned)
        case .string: self = .string(try scanner.string())
        case .number(let lexeme):
            if let value = Int64(lexeme), "\(value)" == lexeme {
                self = .number("\(try scanner.int64())")
            } else {
                try scanner.skipValue()
                self = tree
            }
        case .boolean: self = .boolean(try scanner.boolean())
        case .null: self = try scanner.skipNull() ? .null : .boolean(false)
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func text() -> String {
        let palette: [ClosedRange<UInt32>] = [
            0...0x1F, 0x20...0x7E, 0x61...0x7A, 0x22...0x22, 0x5C...0x5C, 0x80...0x7FF,
            0x800...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF,
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...20, using: &self) {
            let range = palette[Int.random(in: 0..<palette.count, using: &self)]
            let value = UInt32.random(in: range, using: &self)
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
        }
        return String(text)
    }

    fileprivate mutating func tree(depth: Int) -> Tree {
        switch Int.random(in: depth == 0 ? 2...6 : 0...6, using: &self) {
        case 0:
            var names = Set<[UInt8]>()
            var members: [(String, Tree)] = []
            for _ in 0..<Int.random(in: 0...(depth == 4 ? 40 : 5), using: &self) {
                let name = text()
                guard names.insert(Array(name.utf8)).inserted else { continue }
                members.append((name, tree(depth: depth - 1)))
            }
            return .object(members)
        case 1:
            let count = Int.random(in: 0...6, using: &self)
            return .array((0..<count).map { _ in tree(depth: depth - 1) })
        case 2: return .string(text())
        case 3: return .number("\(Int64.random(in: .min ... .max, using: &self))")
        case 4:
            let exponent = Int.random(in: -400...400, using: &self)
            return .number("\(UInt8.random(in: 0...9, using: &self)).50e\(exponent)")
        case 5: return .boolean(Bool.random(using: &self))
        default: return .null
        }
    }
}

@Suite struct JSONPropertyTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `random documents written and read back are equal`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5 {
            let tree = generator.tree(depth: 4)
            var writer = JSONWriter()
            tree.write(&writer)
            let document = try JSONDocument(parsing: writer.bytes)
            #expect(Tree(document.root) == tree)
            #expect(Array(document.root.rawBytes) == writer.bytes)
            try writer.bytes.withUnsafeBytes { text in
                var scanner = JSONScanner(text)
                #expect(try Tree(scanning: &scanner, like: tree) == tree)
                try scanner.end()
                var skipping = JSONScanner(text)
                #expect(try skipping.skipValue() == 0..<text.count)
            }
        }
    }
}
