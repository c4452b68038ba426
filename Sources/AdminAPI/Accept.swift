import HTTP

/// The `Accept` field (RFC 9110 §12.5.1).
enum Accept {
    /// The index of the media type in `offered` that the client wants most; the first when it says
    /// nothing, or wants none of them: an answer that it did not ask for tells it more than a 406.
    static func choose(_ request: Request, from offered: [String]) -> Int {
        var best = (index: 0, quality: 0.0, precision: 0)
        for field in request.values("accept") {
            for range in String(decoding: field, as: UTF8.self).lowercased().split(separator: ",") {
                let parts = range.split(separator: ";").map { part in
                    part.filter { $0 != " " && $0 != "\t" }
                }
                guard let media = parts.first else { continue }
                let quality =
                    parts.dropFirst().first { $0.hasPrefix("q=") }
                    .flatMap { Double($0.dropFirst(2)) } ?? 1
                for (index, type) in offered.enumerated() {
                    guard let precision = precision(media, type), quality > 0 else { continue }
                    if (quality, precision) > (best.quality, best.precision) {
                        best = (index, quality, precision)
                    }
                }
            }
        }
        return best.index
    }

    /// How exactly a media range names a type: 3 by name, 2 `type/*`, 1 `*/*`, nil not at all.
    private static func precision(_ range: String, _ type: String) -> Int? {
        if range == type { return 3 }
        if range == "*/*" { return 1 }
        guard range.hasSuffix("/*") else { return nil }
        return type.hasPrefix(range.dropLast()) ? 2 : nil
    }
}
