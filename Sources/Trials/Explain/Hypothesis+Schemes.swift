import Cryptography
import JSON
import Providers

extension Hypothesis {
    static let schemes = [
        Hypothesis(
            "scheme", "the endpoint's `hmac` scheme were another",
            remedy: "Correct `hmac:` in the endpoint's configuration to what verifies."
        ) { suspect in
            guard let scheme = suspect.settings.hmac else { return [] }
            return suspect.schemes(beside: scheme).map { detail, scheme in
                suspect.withSettings(detail) { $0.hmac = scheme }
            }
        }
    ]
}

extension Suspect {
    /// Every scheme that this request may have been signed by: each header that could carry a
    /// signature, both algorithms and encodings, the body with and without a time.
    fileprivate func schemes(beside scheme: HMACScheme) -> [(String, HMACScheme)] {
        var contents: [HMACScheme.Content] = [.body]
        for header in delivery.headers where header.value.allSatisfy({ (0x30...0x39).contains($0) })
        {
            contents.append(.timestampAndBody(header: header.name.text.lowercased()))
        }
        var schemes: [(String, HMACScheme)] = []
        for header in delivery.headers where header.value.count >= 40 {
            let name = header.name.text.lowercased()
            let prefix = header.value.text.prefix { $0 != "=" }
            let prefixes = ["", header.value.contains(UInt8(ascii: "=")) ? "\(prefix)=" : ""]
            for algorithm in [HMAC.Algorithm.sha256, .sha512] {
                for encoding in HMACScheme.Encoding.allCases {
                    for prefix in Set(prefixes) {
                        for content in contents {
                            let other = HMACScheme(
                                header: name, algorithm: algorithm, encoding: encoding,
                                prefix: prefix, content: content)
                            guard other != scheme else { continue }
                            schemes.append((Self.detail(other), other))
                        }
                    }
                }
            }
        }
        return schemes
    }

    private static func detail(_ scheme: HMACScheme) -> String {
        var text =
            "header \(scheme.header), \(scheme.algorithm.rawValue), \(scheme.encoding.rawValue)"
        if !scheme.prefix.isEmpty { text += ", prefix \(scheme.prefix)" }
        if case .timestampAndBody(let header) = scheme.content { text += ", time in \(header)" }
        return text
    }

    /// The list in `fields`, which is signed itself, in other spellings.
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
                "spaces behind the commas of `fields`",
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

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> Substring {
        hasSuffix(suffix) ? dropLast(suffix.count) : self[...]
    }
}
