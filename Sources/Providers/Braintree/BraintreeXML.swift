import Bytes

/// An element of the XML that Braintree sends, with as much of XML as it uses: elements,
/// attributes, text, the five named entities and numbered ones, comments and CDATA. A document type
/// is refused, because entities could be expanded without end, and so is everything else.
struct BraintreeXML: Equatable {
    let name: String
    private(set) var children: [BraintreeXML] = []
    /// Without the white space at both ends; nil for `nil="true"`.
    private(set) var text: String?

    static let depthMax = 32
    static let elementsMax = 4096
    /// In the provider's answer to a question of ours.
    static let answerElementsMax = 65_536

    /// The first child with this name.
    subscript(_ name: String) -> BraintreeXML? {
        children.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The text of an id or another word below this element; nil for anything else.
    func word(_ path: String...) -> String? {
        var element = self
        for name in path {
            guard let next = element[name] else { return nil }
            element = next
        }
        return element.text.flatMap { $0.isWord ? $0 : nil }
    }

    /// The root of a document; nil for anything that this reader does not know.
    static func parse(_ bytes: [UInt8], elementsMax: Int = elementsMax) -> BraintreeXML? {
        var reader = BraintreeXMLReader(bytes, elementsMax: elementsMax)
        return reader.document()
    }

    fileprivate init(name: String) { self.name = name }

    fileprivate mutating func end(_ content: [UInt8], _ children: [BraintreeXML], isNil: Bool)
        -> Bool
    {
        self.children = children
        guard !isNil else { return true }
        guard let text = String(validating: content.trimmingWhiteSpace, as: UTF8.self) else {
            return false
        }
        self.text = text
        return true
    }
}

/// One pass over a document. Every method returns nil for what is not XML of this kind.
private struct BraintreeXMLReader {
    private struct Open {
        var element: BraintreeXML
        var isNil: Bool
        var content: [UInt8] = []
        var children: [BraintreeXML] = []
    }

    private let bytes: [UInt8]
    private var place = 0
    private var open: [Open] = []
    private var elements = 0
    private let elementsMax: Int

    init(_ bytes: [UInt8], elementsMax: Int) {
        self.bytes = bytes
        self.elementsMax = elementsMax
    }

    mutating func document() -> BraintreeXML? {
        skipBlanks()
        if skip("<?xml") {
            guard skip(after: "?>") else { return nil }
            skipBlanks()
        }
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "<") else {
                guard !open.isEmpty, text() else { return nil }
                continue
            }
            if skip("<!--") {
                guard skip(after: "-->") else { return nil }
            } else if skip("<![CDATA[") {
                let start = place
                guard !open.isEmpty, skip(after: "]]>") else { return nil }
                open[open.count - 1].content += bytes[start..<(place - 3)]
            } else if skip("</") {
                guard let closed = close() else { return nil }
                if open.isEmpty { return isAtEnd() ? closed : nil }
                open[open.count - 1].children.append(closed)
            } else {
                place += 1
                guard let alone = begin() else { return nil }
                guard alone else { continue }
                guard let closed = finish() else { return nil }
                if open.isEmpty { return isAtEnd() ? closed : nil }
                open[open.count - 1].children.append(closed)
            }
            if open.isEmpty { skipBlanks() }
        }
        return nil
    }

    // MARK: Tags

    /// Reads a start tag after its `<`; returns whether it also ends the element.
    private mutating func begin() -> Bool? {
        elements += 1
        guard let name = name(), open.count < BraintreeXML.depthMax,
            elements <= elementsMax
        else { return nil }
        var isNil = false
        while true {
            skipBlanks()
            if skip("/>") || skip(">") {
                open.append(Open(element: BraintreeXML(name: name), isNil: isNil))
                return bytes[place - 2] == UInt8(ascii: "/")
            }
            guard let attribute = self.name(), skip("="), let quote = next,
                quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
            else { return nil }
            place += 1
            let start = place
            guard let end = bytes[start...].firstIndex(of: quote) else { return nil }
            place = end + 1
            if attribute == "nil", bytes[start..<end].elementsEqual("true".utf8) { isNil = true }
        }
    }

    /// Reads an end tag after its `</`.
    private mutating func close() -> BraintreeXML? {
        guard let name = name(), let last = open.last,
            last.element.name.utf8.elementsEqual(name.utf8)
        else { return nil }
        skipBlanks()
        return skip(">") ? finish() : nil
    }

    private mutating func finish() -> BraintreeXML? {
        guard var last = open.popLast(),
            last.element.end(last.content, last.children, isNil: last.isNil)
        else { return nil }
        return last.element
    }

    private mutating func name() -> String? {
        let start = place
        while let byte = next, byte > 0x20, !"<>/=\"'&".utf8.contains(byte) { place += 1 }
        guard place > start, place - start <= 64 else { return nil }
        return String(validating: bytes[start..<place], as: UTF8.self)
    }

    // MARK: Text

    /// Reads text up to the next tag.
    private mutating func text() -> Bool {
        while let byte = next, byte != UInt8(ascii: "<") {
            place += 1
            guard byte == UInt8(ascii: "&") else {
                open[open.count - 1].content.append(byte)
                continue
            }
            guard let end = bytes[place...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = Self.entity(bytes[place..<end])
            else { return false }
            open[open.count - 1].content += character
            place = end + 1
        }
        return true
    }

    private static func entity(_ name: ArraySlice<UInt8>) -> [UInt8]? {
        switch String(decoding: name, as: UTF8.self) {
        case "amp": return [UInt8(ascii: "&")]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        case let text where text.hasPrefix("#"):
            let isHex = text.hasPrefix("#x")
            let digits = text.dropFirst(isHex ? 2 : 1)
            guard let code = UInt32(digits, radix: isHex ? 16 : 10), code != 0,
                digits.utf8.first != UInt8(ascii: "+"), let scalar = Unicode.Scalar(code)
            else { return nil }
            return Array(String(Character(scalar)).utf8)
        default: return nil
        }
    }

    // MARK: Bytes

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte.isWhiteSpace { place += 1 }
    }

    private mutating func isAtEnd() -> Bool {
        skipBlanks()
        return place == bytes.count
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        guard bytes[place...].prefix(word.utf8CodeUnitCount).spells(word) else { return false }
        place += word.utf8CodeUnitCount
        return true
    }

    /// Moves behind the next `word`.
    private mutating func skip(after word: StaticString) -> Bool {
        while place < bytes.count {
            if skip(word) { return true }
            place += 1
        }
        return false
    }
}
