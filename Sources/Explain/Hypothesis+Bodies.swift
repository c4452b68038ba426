import Bytes
import JSON
import Providers

extension Hypothesis {
    private static let unchanged =
        "Something on the way (a gateway, a function, a framework that parses bodies) rewrites the "
        + "body. Let it pass the bytes on unchanged."

    static let bodies = [
        Hypothesis(
            "body_white_space", "white space in the body was changed", remedy: unchanged
        ) { suspect in
            suspect.withOtherEnds
                + suspect.withLayouts(JSONLayout.Space.allCases.map { JSONLayout(space: $0) })
                .filter { isSame($0, suspect) { $0 > 0x20 } }
        },
        Hypothesis(
            "body_unicode_escapes", "characters in the body were escaped or unescaped",
            remedy: unchanged
        ) { suspect in
            suspect.withLayouts(
                JSONLayout.all.filter { $0.space == .compact && !$0.sortsKeys }
            ).filter { isSame($0, suspect) { $0 <= 0x20 } }
        },
        Hypothesis(
            "body_key_order",
            "the body's members were reordered; this provider sends them in "
                + "alphabetical order", remedy: unchanged
        ) { suspect in
            suspect.withLayouts([JSONLayout(sortsKeys: true)])
                .filter { $0.delivery.body.sorted() == suspect.delivery.body.sorted() }
        },
        Hypothesis(
            "charset", "the body was converted to another character set",
            remedy: "Something on the way takes UTF-8 for another character set, or adds a byte "
                + "order mark. Let it pass the bytes on unchanged."
        ) { suspect in suspect.withOtherCharsets },
        Hypothesis(
            "body_form", "the form was re-encoded", remedy: unchanged
        ) { suspect in suspect.withOtherForms },
        Hypothesis(
            "fields_list", "the list of signed fields was rewritten",
            remedy: unchanged
        ) { suspect in suspect.withOtherFieldLists },
        Hypothesis(
            "body_rewritten", "the body was rewritten in several ways", remedy: unchanged,
            each: { suspect in
                AnySequence(
                    JSONLayout.all.lazy.flatMap { layout in
                        suspect.withLayouts([layout]).flatMap { variation in
                            var other = variation
                            other.detail += ", newline at the end"
                            other.delivery.body.append(0x0A)
                            return [variation, other]
                        }
                    })
            }
        ),
    ]
}

/// Whether the bytes of the body selected by `kept` are unchanged, so that only others changed.
private func isSame(
    _ variation: Variation, _ suspect: Suspect, _ kept: (UInt8) -> Bool
) -> Bool {
    variation.delivery.body.filter(kept) == suspect.delivery.body.filter(kept)
}

extension Suspect {
    fileprivate var withOtherEnds: [Variation] {
        let body = delivery.body
        let forms: [(String, [UInt8])] = [
            ("a newline at the end", body + [0x0A]),
            ("CR LF at the end", body + [0x0D, 0x0A]),
            ("no white space at the ends", Array(body.trimming { $0 <= 0x20 })),
            ("LF in place of CR LF", body.filter { $0 != 0x0D }),
            ("CR LF in place of LF", body.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }),
            ("nothing after the first NUL", Array(body.prefix { $0 != 0 })),
        ]
        return forms.filter { $0.1 != body }.map { withBody($0.0, $0.1) }
    }

    fileprivate func withLayouts(_ layouts: [JSONLayout]) -> [Variation] {
        guard let root = try? JSONDocument(parsing: delivery.body).root else { return [] }
        return layouts.compactMap { layout in
            let body = layout.write(root)
            return body == delivery.body ? nil : withBody(layout.detail, body)
        }
    }

    fileprivate var withOtherCharsets: [Variation] {
        let body = delivery.body
        var variations: [Variation] = []
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        variations.append(
            body.starts(with: mark)
                ? withBody("without the byte order mark", Array(body.dropFirst(3)))
                : withBody("with a byte order mark", mark + body))
        if let text = String(validating: body, as: UTF8.self) {
            let scalars = text.unicodeScalars
            if scalars.contains(where: { $0.value > 0x7F }),
                scalars.allSatisfy({ $0.value <= 0xFF })
            {
                let bytes = scalars.map { UInt8(truncatingIfNeeded: $0.value) }
                variations.append(
                    withBody("taken for Latin-1 once less (or sent as Latin-1)", bytes))
            }
        } else {
            let text = String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
            variations.append(withBody("sent as UTF-8, made Latin-1 on the way", Array(text.utf8)))
        }
        return variations
    }

    /// Re-encodings of a form such as `a=1&b=x+y`.
    fileprivate var withOtherForms: [Variation] {
        let body = delivery.body
        guard body.contains(UInt8(ascii: "=")), body.first != UInt8(ascii: "{") else { return [] }
        let forms: [(String, [UInt8])] = [
            ("spaces as +", body.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }),
            ("+ as %2B", body.flatMap { $0 == UInt8(ascii: "+") ? Array("%2B".utf8) : [$0] }),
            ("+ as %20", body.flatMap { $0 == UInt8(ascii: "+") ? Array("%20".utf8) : [$0] }),
            ("encoded once less", FormText.changingValues(body, FormText.decoded)),
            ("decoded once less", FormText.changingValues(body, FormText.encoded)),
        ]
        return forms.filter { $0.1 != body }.map { withBody($0.0, $0.1) }
    }
}
