import Bytes
import Providers

extension Hypothesis {
    static let paths = [
        Hypothesis(
            "given_path", "it was signed with the path given by --path",
            remedy: "Set the endpoint's `publicPath` to this path, or let the proxy pass the path "
                + "on unchanged."
        ) { suspect in
            suspect.givenPaths.map { suspect.withPath("path \($0)", $0.utf8) }
        },
        Hypothesis(
            "path_received", "the signature covers the path that came in, not `publicPath`",
            remedy: "Remove or correct the endpoint's `publicPath`."
        ) { suspect in
            guard suspect.request.path != Array(suspect.publicPath.utf8)[...] else { return [] }
            return [suspect.withPath("path \(suspect.request.path.text)", suspect.request.path)]
        },
        Hypothesis(
            "path_prefix", "a proxy removed or added the beginning of the path",
            remedy: "Set the endpoint's `publicPath` to the path in the URL that the provider was "
                + "given, or let the proxy pass the path on unchanged.",
            each: { suspect in
                AnySequence(
                    [suspect.prefixed, AnySequence(suspect.stripped)].lazy.joined()
                        .map { suspect.withPath("path \($0)", $0.utf8) })
            }
        ),
        Hypothesis(
            "path_replaced", "a proxy put another beginning in place of the path's own",
            remedy: "Set the endpoint's `publicPath` to the path in the URL that the provider was "
                + "given, or let the proxy pass the path on unchanged.",
            each: { suspect in
                AnySequence(
                    suspect.replaced.lazy.map { suspect.withPath("path \($0)", $0.utf8) })
            }
        ),
        Hypothesis(
            "path_trailing_slash", "the path ends differently",
            remedy: "Set `publicPath` to the path exactly as the provider was given it."
        ) { suspect in
            suspect.paths.map { path in
                let other = path.hasSuffix("/") ? String(path.dropLast()) : path + "/"
                return suspect.withPath("path \(other)", other.utf8)
            }
        },
        Hypothesis(
            "path_spelling", "the path is spelled differently",
            remedy: "Set `publicPath` to the path exactly as the provider was given it."
        ) { suspect in
            suspect.paths.flatMap { path in
                let decoded = PercentEncoding.decode(Array(path.utf8)[...]) ?? []
                return [
                    path.lowercased(), "/" + path, path.dropFirst().description,
                    path.split(separator: "/").reduce("") { $0 + "/" + $1 },
                    String(decoding: decoded, as: UTF8.self),
                ].filter { $0 != path && !$0.isEmpty }
                    .map { suspect.withPath("path \($0)", $0.utf8) }
            }
        },
        Hypothesis(
            "query", "the query was changed or removed",
            remedy: "Let the proxy pass the query on unchanged, or give the provider a URL without "
                + "one."
        ) { suspect in
            suspect.queries.map { detail, query in
                var delivery = suspect.delivery
                delivery.query = query.map { Array($0.utf8)[...] }
                return Variation(detail, delivery, suspect.settings)
            }
        },
    ]
}

extension ArraySlice<UInt8> {
    /// The bytes as text, for messages.
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension Suspect {
    /// The endpoint's public path and the received one.
    fileprivate var paths: [String] {
        let received = request.path.text
        return received == publicPath ? [publicPath] : [publicPath, received]
    }

    /// Paths with prefixes that proxies remove: from the request's headers, from other endpoints,
    /// and customary ones.
    fileprivate var prefixed: AnySequence<String> {
        let originals = ["x-original-uri", "x-forwarded-uri", "x-original-url", "x-rewrite-url"]
        let whole = originals.compactMap(header)
            .map { String($0.prefix { $0 != "?" }) }
        let prefixes = prefixes
        return AnySequence(
            [
                AnySequence(whole),
                AnySequence(
                    paths.lazy.flatMap { path in
                        prefixes.lazy.map { $0 + path }
                    }),
            ].lazy.joined())
    }

    /// Paths with customary prefixes in place of their first segments.
    fileprivate var replaced: AnySequence<String> {
        let (prefixes, paths) = (prefixes, paths)
        return AnySequence(
            Set(stripped).sorted().lazy.flatMap { rest in prefixes.lazy.map { $0 + rest } }
                .filter { !paths.contains($0) })
    }

    private var prefixes: [String] {
        var prefixes = ["x-forwarded-prefix", "x-script-name"].compactMap(header)
        prefixes += others.compactMap { other in
            other.publicPath.split(separator: "/").first.map { "/\($0)" }
        }
        prefixes += [
            "/api", "/api/v1", "/v1", "/ipn", "/ipnd", "/notify", "/notifications", "/webhook",
            "/webhooks", "/callback", "/callbacks", "/payment", "/payments", "/pay", "/hooks",
        ]
        return prefixes
    }

    /// Maximum number of segments that a proxy may have removed. Each count is tried with each
    /// prefix, so a path of slashes must not cost a thousand times its length.
    private static let segmentsMax = 8

    /// Paths without their first segments.
    fileprivate var stripped: [String] {
        paths.flatMap { path in
            let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            return (1..<min(Self.segmentsMax, max(2, segments.count))).map { count in
                "/" + segments.dropFirst(count).joined(separator: "/")
            }
        }
    }

    fileprivate var queries: [(String, String?)] {
        guard let query = request.query?.text else { return [] }
        return [
            ("without the query", nil),
            ("spaces of the query as %20", query.split(separator: "+").joined(separator: "%20")),
            ("percent-decoded query", PercentEncoding.decode(Array(query.utf8)[...])?[...].text),
        ].filter { $0.1 != query }
    }
}
