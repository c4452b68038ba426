import Delivery
import Payments
import WebClient

extension ValueReader {
    /// Reads a list of at least one element; elements with a mistake are left out.
    func list<Element>(_ element: (ValueReader) -> Element?) -> [Element]? {
        guard let values = sequence() else { return nil }
        if values.isEmpty { mistake("is empty", "leave the key out for all") }
        return values.compactMap(element)
    }

    /// Reads one of the names that the configuration itself defines.
    func oneOf(_ names: [String], _ what: String) -> String? {
        guard let text = filledText() else { return nil }
        if names.contains(text) { return text }
        mistake("there is no \(what) \(quoted(text))", Suggestion.remedy(for: text, among: names))
        return nil
    }

    /// Reads a kind of event. Providers may have kinds that ipnd does not define, so an unknown one
    /// is only a warning.
    func eventKind() -> String? {
        let known = [
            "payment", "capture", "refund", "dispute", "reversal", "expectation", "correction",
            "inquiry", "action",
        ]
        guard let text = filledText() else { return nil }
        if !known.contains(text) {
            warning(
                "\(quoted(text)) is not one of ipnd's own kinds",
                Suggestion.remedy(for: text, among: known))
        }
        return text
    }

    /// Reads `now`, `beginning` or the sequence of a record.
    func deliveryStart() -> DeliveryStart? {
        switch node.scalar?.string {
        case "now": return .now
        case "beginning": return .beginning
        default: break
        }
        let words = node.scalar.map { Int($0.string) == nil } ?? true
        guard !words else {
            mistake(
                "is not `now`, `beginning` or the sequence of a record",
                "write `from: beginning` to deliver what is already recorded")
            return nil
        }
        return integer(in: 1...Int.max).map { .sequence(UInt64($0)) }
    }

    /// Reads a number of seconds, with or without decimals.
    func seconds(in range: ClosedRange<Double>) -> Double? {
        func written(_ number: Double) -> String {
            number == number.rounded() ? "\(Int(number))" : "\(number)"
        }
        let bounds = "\(written(range.lowerBound)) to \(written(range.upperBound))"
        let remedy = "write seconds from \(bounds)"
        guard case .scalar(let scalar) = node, scalar.style == .plain, !isNull else {
            mistake("is \(kind), not a number of seconds", remedy)
            return nil
        }
        // YAML also reads `1e3`, `0x10`, `1:30` and `.inf` as numbers, which is surprising in a
        // schedule.
        let parts = scalar.string.split(separator: ".", omittingEmptySubsequences: false)
        let isPlain =
            (1...2).contains(parts.count)
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
        guard isPlain, let number = Double(scalar.string) else {
            mistake("\(quoted(scalar.string)) is not a number of seconds", remedy)
            return nil
        }
        guard range.contains(number) else {
            mistake("\(quoted(scalar.string)) is out of range", remedy)
            return nil
        }
        return number
    }

    func webURL() -> WebURL? {
        guard let text = filledText() else { return nil }
        do throws(WebURL.Mistake) { return try WebURL(text) } catch {
            // A URL with a password in it is not quoted.
            let shown = error == .credentials ? "the URL" : quoted(text)
            mistake(
                "\(shown) \(error.rawValue)",
                error == .credentials
                    ? "write them as a header: `headers: {authorization: {file: …}}`"
                    : "write a URL such as https://shop.example/payments")
            return nil
        }
    }

    /// Reads `direct`, or the URL of a proxy. A URL with a password must be given by reference.
    func webProxy() -> WebRoute.Proxy? {
        guard let text = textOrReference() else { return nil }
        if text == "direct" { return .direct }
        let remedy = "write `proxy: http://proxy.example:3128`, or `proxy: direct` for none"
        // User and password are removed before the check, so that no message shows them.
        var plain = text
        if let scheme = text.range(of: "://"), let at = text.lastIndex(of: "@") {
            if node.scalar != nil {
                mistake(
                    "a password must not be written in the configuration itself",
                    "put the whole URL into a file and write {file: path}")
                return nil
            }
            plain.removeSubrange(scheme.upperBound...at)
        }
        do throws(WebURL.Mistake) { _ = try WebURL(plain) } catch {
            mistake("the proxy's URL \(error.rawValue)", remedy)
            return nil
        }
        return .url(text)
    }

    /// Reads text that is given in place, in a file or in a variable.
    func textOrReference() -> String? {
        if case .scalar = node { return text() }
        guard let reference = reference(.secret) else { return nil }
        guard let text = String(validating: reference.bytes, as: UTF8.self) else {
            mistake("is not UTF-8 text", "give printable text")
            return nil
        }
        return text
    }
}

extension MappingReader {
    /// Warns about the value of a key.
    func warning(_ name: String, _ problem: String, _ remedy: String) {
        all.first { $0.name == name }?.value.warning(problem, remedy)
    }
}
