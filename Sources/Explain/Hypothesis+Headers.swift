import Bytes
import Providers

extension Hypothesis {
    static let headers = [
        Hypothesis(
            "header_plus_for_space", "a `+` in a header became a space",
            remedy: "Something URL-decodes headers on the way (a function, a gateway): hand them "
                + "on unchanged."
        ) { suspect in
            suspect.withEachHeader("spaces as +") { value in
                value.contains(0x20) ? value.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 } : nil
            }
        },
        Hypothesis(
            "header_folded", "a header was folded or broken by white space",
            remedy: "A proxy or a copy by hand put white space into the header: hand it on in one "
                + "line."
        ) { suspect in
            suspect.withEachHeader("without white space") { value in
                let bare = value.filter { $0 > 0x20 }
                return bare.count == value.count ? nil : bare
            }
                + suspect.withEachHeader("without quotes") { value in
                    let bare = value.trimming { $0 == UInt8(ascii: "\"") }
                    return bare.count == value.count ? nil : Array(bare)
                }
        },
        Hypothesis(
            "header_encoded_twice",
            "a header was URL-encoded or decoded once "
                + "too often",
            remedy: "Something encodes or decodes headers on the way: pass them on unchanged."
        ) { suspect in
            suspect.withEachHeader("percent-decoded once") { value in
                guard let decoded = PercentEncoding.decode(value), decoded != Array(value) else {
                    return nil
                }
                return decoded
            }
                + suspect.withEachHeader("percent-encoded once") { value in
                    value.contains(UInt8(ascii: "+")) || value.contains(UInt8(ascii: "/"))
                        ? value.flatMap(percentEncodingBase64) : nil
                }
        },
        Hypothesis(
            "header_repeated", "a header came twice",
            remedy: "Two proxies each add the header: let only one do so."
        ) { suspect in suspect.withoutRepetition },
        Hypothesis(
            "header_removed", "the header that names the account was removed on the way",
            remedy: "Let the proxy, the gateway or the firewall in front pass on every header that "
                + "came."
        ) { suspect in
            suspect.system.rows(.endpoint).compactMap { row in
                guard let name = row.account?.header, suspect.header(name) == nil,
                    case .text(let id)? = suspect.settings[row.key]
                else { return nil }
                let header = Header(name: Array(name.utf8)[...], value: Array(id.utf8)[...])
                return suspect.withHeaders(
                    "\(name): \(id)", suspect.delivery.headers + [header])
            }
        },
        Hypothesis(
            "header_renamed", "a header was renamed",
            remedy: "A proxy or gateway renames headers (`_` for `-`, an `X-` or `HTTP_` before "
                + "it): hand them on under their names."
        ) { suspect in
            let renamed = suspect.delivery.headers.map { header in
                Header(name: Array(originalName(header.name.text).utf8)[...], value: header.value)
            }
            guard renamed != suspect.delivery.headers else { return [] }
            return [suspect.withHeaders("headers under their usual names", renamed)]
        },
    ]
}

/// `HTTP_CLIENT_ID`, `client_id` and `X-Client-Id` are what CGI, some gateways and frameworks make
/// of `client-id`.
private func originalName(_ name: String) -> String {
    var name = name.lowercased().split(separator: "_", omittingEmptySubsequences: false)
        .joined(separator: "-")
    if name.hasPrefix("http-") { name = String(name.dropFirst(5)) }
    let known = ["x-initialization-vector", "x-authentication-tag"]
    let bare = name.hasPrefix("x-") && !known.contains(name) ? String(name.dropFirst(2)) : name
    let theirs = [
        "client-id", "request-time", "signature", "webhook-id", "webhook-timestamp",
        "webhook-signature", "svix-id", "svix-timestamp", "svix-signature",
    ]
    return theirs.contains(bare) ? bare : name
}

/// The three characters of Base64 that URLs escape.
private func percentEncodingBase64(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "+"): Array("%2B".utf8)
    case UInt8(ascii: "/"): Array("%2F".utf8)
    default: [byte]
    }
}

extension Suspect {
    /// Each name once, with its first or its last value; and a value that is the same thing twice
    /// behind a comma, once.
    fileprivate var withoutRepetition: [Variation] {
        var first: [Header] = []
        var last: [Header] = []
        for header in delivery.headers {
            let name = header.name.text.lowercased()
            if !first.contains(where: { $0.isNamed(name) }) { first.append(header) }
            last.removeAll { $0.isNamed(name) }
            last.append(header)
        }
        var variations: [Variation] = []
        if first.count < delivery.headers.count {
            variations = [
                withHeaders("the first of each name", first),
                withHeaders("the last of each name", last),
            ]
        }
        return variations
            + withEachHeader("once") { value in
                let text = Array(value)
                guard text.count >= 4, text.count.isMultiple(of: 2) else { return nil }
                let half = (text.count - 2) / 2
                let isTwice =
                    text[half] == UInt8(ascii: ",") && text[half + 1] == 0x20
                    && text[..<half] == text[(half + 2)...]
                return isTwice ? Array(text[..<half]) : nil
            }
    }
}
