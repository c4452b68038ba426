import Cryptography
import JSON
import Providers

extension Hypothesis {
    static let schemes = [
        Hypothesis(
            "scheme", "the endpoint's `hmac` scheme is wrong",
            remedy: "Correct `hmac:` in the endpoint's configuration to what verifies."
        ) { suspect in
            guard let scheme = suspect.settings[HMACWebhook.scheme] else { return [] }
            return suspect.schemes(beside: scheme).map { detail, scheme in
                suspect.withSettings(detail) { $0[HMACWebhook.scheme] = scheme }
            }
        }
    ]
}

extension Suspect {
    /// Every scheme that may have signed this request: each header that may carry a signature, both
    /// algorithms and encodings, the body with and without time, id, method and path.
    fileprivate func schemes(beside scheme: HMACScheme) -> [(String, HMACScheme)] {
        let contents = templates(times: timeHeaders, ids: idHeaders)
        var schemes: [HMACScheme] = []
        for header in delivery.headers where header.value.count >= 40 {
            let name = header.name.text.lowercased()
            let prefix = header.value.text.prefix { $0 != "=" }
            let prefixes = ["", header.value.contains(UInt8(ascii: "=")) ? "\(prefix)=" : ""]
            for prefix in Set(prefixes) {
                for content in contents {
                    schemes.append(HMACScheme(header: name, prefix: prefix, content: content))
                }
            }
            schemes += composites(of: header.value.text, name)
        }
        return schemes.flatMap { base in
            [HMAC.Algorithm.sha256, .sha512].flatMap { algorithm in
                HMACScheme.Encoding.allCases.map { encoding in
                    var other = base
                    other.algorithm = algorithm
                    other.encoding = encoding
                    return other
                }
            }
        }.filter { $0 != scheme }.map { ($0.summary, $0) }
    }

    /// Schemes with signatures as parameters of a header, such as `t=…,v1=…`, or as a list.
    private func composites(of value: String, _ header: String) -> [HMACScheme] {
        HMACScheme.Separator.allCases.flatMap { separator -> [HMACScheme] in
            let parts = value.split(separator: Character(separator.rawValue)).prefix(8)
            guard parts.count > 1 else { return [] }
            let pairs = parts.compactMap { part -> (name: String, value: Substring)? in
                let name = part.prefix { $0 != "=" }
                guard name.endIndex < part.endIndex, !name.isEmpty else { return nil }
                return (name.filter { $0 != " " }, part[name.endIndex...].dropFirst())
            }
            let times = pairs.filter { (8...32).contains($0.value.utf8.count) }.map {
                SignedTemplate.Place.parameter($0.name)
            }
            let contents = templates(times: times + timeHeaders, ids: idHeaders)
            let names = Set(pairs.filter { $0.value.utf8.count >= 40 }.map(\.name)).sorted()
            let single = contents.map {
                HMACScheme(header: header, layout: .list(separator: separator), content: $0)
            }
            return names.flatMap { name in
                contents.map { content in
                    HMACScheme(
                        header: header,
                        layout: .parameters(separator: separator, signature: name),
                        content: content)
                }
            } + single.filter { !$0.content.usesParameters }
        }
    }

    /// Templates of signed texts, with every place that may hold a time or an id.
    private func templates(
        times: [SignedTemplate.Place], ids: [SignedTemplate.Place]
    ) -> [SignedTemplate] {
        var templates = Self.plainTexts.map { SignedTemplate(parts: $0) }
        for time in times {
            templates += Self.timedTexts.map { SignedTemplate(parts: $0, timestamp: time) }
            for id in ids {
                templates += Self.namedTexts.map {
                    SignedTemplate(parts: $0, timestamp: time, id: id)
                }
            }
        }
        return templates
    }

    private static let plainTexts = parts(["{body}", "{method}{path}{body}"])
    private static let timedTexts = parts([
        "{timestamp}.{body}", "{timestamp}{body}", "{timestamp}:{body}", "{body}.{timestamp}",
        "{body}{timestamp}", "{timestamp}{method}{path}{body}", "{method}{path}{timestamp}{body}",
        "{timestamp}.{method}.{path}.{body}",
        "{method}\n{path}\n{timestamp}\n{body}",
    ])
    private static let namedTexts = parts(["{id}.{timestamp}.{body}", "{timestamp}.{id}.{body}"])

    private static func parts(_ texts: [String]) -> [[SignedTemplate.Part]] {
        texts.compactMap { SignedTemplate.parts(of: $0) }
    }

    /// Headers with a number or an ISO 8601 date.
    private var timeHeaders: [SignedTemplate.Place] {
        delivery.headers.filter { header in
            (8...32).contains(header.value.count)
                && header.value.first.map { (0x30...0x39).contains($0) } ?? false
                && !header.isNamed("content-length")
        }.prefix(4).map { .header($0.name.text.lowercased()) }
    }

    private var idHeaders: [SignedTemplate.Place] {
        delivery.headers.map { $0.name.text.lowercased() }.filter { $0.hasSuffix("id") }.prefix(3)
            .map { .header($0) }
    }

    /// Other spellings of the list in `fields`, which is signed.
    var withOtherFieldLists: [Variation] {
        let body = delivery.body
        let spellings: [(String, @Sendable (String) -> String)] = [
            ("without spaces in `fields`", { $0.filter { $0 != " " } }),
            (
                "`fields` in alphabetical order",
                { $0.split(separator: ",").sorted().joined(separator: ",") }
            ),
            ("no comma at the end of `fields`", { String($0.trimmingSuffix(",")) }),
            (
                "spaces after the commas of `fields`",
                { $0.split(separator: ",").joined(separator: ", ") }
            ),
        ]
        if let root = try? JSONDocument(parsing: body).root, let list = root["fields"]?.string {
            return spellings.compactMap { detail, change in
                let changed = change(list)
                guard changed != list, let range = body.firstRange(of: Array("\"\(list)\"".utf8))
                else {
                    return nil
                }
                var other = body
                other.replaceSubrange(range, with: Array("\"\(changed)\"".utf8))
                return withBody(detail, other)
            }
        }
        return spellings.map { detail, change in
            withBody(
                detail,
                FormText.changingValues(body, of: "fields") { value in
                    let text = FormText.decoded(value.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
                    return FormText.encoded(Array(change(text[...].text).utf8))
                })
        }.filter { $0.delivery.body != body }
    }
}

extension SignedTemplate {
    fileprivate var usesParameters: Bool {
        [timestamp, id].contains { if case .parameter = $0 { true } else { false } }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> Substring {
        hasSuffix(suffix) ? dropLast(suffix.count) : self[...]
    }
}
