import AdminAPI
import Bytes
import JSON

/// A request formatted for people: its line, its headers, and its indented body.
struct RequestText {
    /// Number of bytes of a body that are shown. The record has all of them.
    static let bodyBytesMax = 32_768

    let values: PageValues

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

    /// The request of a record, or the answer to an inquiry.
    init(_ request: RequestAnswer) {
        let encoded = request.bodyBase64.flatMap { Base64.decode(strict: Array($0.utf8)[...]) }
        self.init(
            line: request.status.map { "Status \($0)" }
                ?? "\(request.method ?? "") \(request.target ?? "")",
            headers: request.headers.map { ($0.first ?? "", $0.count > 1 ? $0[1] : "") },
            body: encoded ?? Array((request.body ?? "").utf8))
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
}
