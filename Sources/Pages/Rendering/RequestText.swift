import Bytes
import JSON
import Records

/// A request as people read it: its line, its headers, its body laid out.
struct RequestText {
    /// What is shown of a body; the rest is in the record.
    static let bodyBytesMax = 32_768

    let values: PageValues

    /// Of a record, an entry of the rejection log, or an inquiry's side: whatever has `headers`.
    init(line: String, headers: [(name: String, value: String)], body: [UInt8]) {
        let type = headers.first { $0.name.lowercased() == "content-type" }?.value ?? ""
        values = [
            "line": line,
            "headers": headers.map { ["name": $0.name, "value": $0.value] as PageValues },
            "body": Self.laidOut(body, type: type),
            "size": PageText.count(body.count),
            "isCut": body.count > Self.bodyBytesMax,
            "isEmpty": body.isEmpty,
        ]
    }

    init(_ request: RecordedRequest) {
        self.init(
            line: "\(request.method) \(Self.text(request.target))",
            headers: request.headers.map { (Self.text($0.name), Self.text($0.value)) },
            body: request.body)
    }

    /// The `request` or `answer` of a record, as the feed gives it.
    init?(_ value: JSONValue?) {
        guard let value else { return nil }
        let headers = value.list("headers").map { pair -> (name: String, value: String) in
            let both = pair.elements.compactMap(\.string)
            return (both.first ?? "", both.count > 1 ? both[1] : "")
        }
        let encoded = value["bodyBase64"]?.utf8.flatMap { Base64.decode(strict: $0) }
        let line =
            value["status"]?.int64.map { "Status \($0)" }
            ?? "\(value["method"]?.string ?? "") \(value["target"]?.string ?? "")"
        self.init(line: line, headers: headers, body: encoded ?? Array(value["body"]?.utf8 ?? []))
    }

    static func laidOut(_ body: [UInt8], type: String) -> String {
        let shown = Array(body.prefix(bodyBytesMax))
        if shown.count == body.count {
            if let document = try? JSONDocument(parsing: body) {
                var text = ""
                write(document.root, "", to: &text)
                return text
            }
            if type.lowercased().hasPrefix("application/x-www-form-urlencoded") {
                return FormFields(query: body[...]).pairs
                    .map { "\($0.name) = \($0.value)" }.joined(separator: "\n")
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Numbers and texts keep their spelling.
    private static func write(_ value: JSONValue, _ indentation: String, to text: inout String) {
        let inner = indentation + "  "
        switch value.kind {
        case .object:
            let members = Array(value.members)
            guard !members.isEmpty else { return text += "{}" }
            text += "{\n"
            for (index, member) in members.enumerated() {
                var name = JSONWriter()
                name.string(member.key)
                text += "\(inner)\(String(decoding: name.bytes, as: UTF8.self)): "
                write(member.value, inner, to: &text)
                text += index + 1 < members.count ? ",\n" : "\n"
            }
            text += "\(indentation)}"
        case .array:
            let elements = Array(value.elements)
            guard !elements.isEmpty else { return text += "[]" }
            text += "[\n"
            for (index, element) in elements.enumerated() {
                text += inner
                write(element, inner, to: &text)
                text += index + 1 < elements.count ? ",\n" : "\n"
            }
            text += "\(indentation)]"
        default: text += String(decoding: value.rawBytes, as: UTF8.self)
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
