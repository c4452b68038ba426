import Providers

/// A notification that came to a path that no endpoint has: a wrong URL at the provider, or a proxy
/// that rewrites the path. Recognised by its looks alone; nothing of it is verified.
package struct Misdirection: Sendable {
    /// The system that it looks like.
    package let system: String
    /// Where it was probably meant to go.
    package let nearest: Endpoint

    /// Nil where `delivery` looks like no system's notification, or there is no endpoint.
    ///
    /// The nearest endpoint is the one whose path differs least, among those of the system that it
    /// looks like; among all where there are none of that system.
    ///
    /// - Parameters:
    ///   - endpoints: Those that it may have been meant for.
    ///   - inspectedBytesMax: How much of the body is read.
    package init?(of delivery: Delivery, among endpoints: [Endpoint], inspectedBytesMax: Int) {
        guard delivery.method == "POST", !endpoints.isEmpty else { return nil }
        let found = Marks.fields(of: delivery.body, bytesMax: inspectedBytesMax)
        let alike = endpoints.filter { $0.marks.match(delivery.headers, fieldsFound: found) }
        let system = ProviderRegistry.list.first {
            $0.marks.match(delivery.headers, fieldsFound: found)
        }
        guard
            let nearest = Self.nearest(to: delivery.path, among: alike.isEmpty ? endpoints : alike),
            let name = alike.isEmpty ? system?.name : nearest.providerName
        else { return nil }
        self.system = name
        self.nearest = nearest
    }

    /// For people.
    package var sentence: String {
        let path = String(decoding: nearest.path, as: UTF8.self)
        return "no endpoint has this path; the nearest is \(nearest.name), \(path)"
    }

    /// The first of those whose path, or public path, differs least.
    private static func nearest(
        to path: ArraySlice<UInt8>, among endpoints: [Endpoint]
    ) -> Endpoint? {
        endpoints
            .map { ($0, min(distance(path, $0.path[...]), distance(path, $0.signedPath))) }
            .min { $0.1 < $1.1 }?.0
    }

    /// The bytes of the longer path that are neither in a common beginning nor in a common end,
    /// whatever their case. Proxies add and take away beginnings, people slip in the middle. Never
    /// more steps than the shorter one has bytes, twice: an edit distance would multiply them.
    static func distance(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
        let shorter = min(left.count, right.count)
        let beginning = zip(left, right).prefix { lowercased($0) == lowercased($1) }.count
        let end = zip(left.reversed(), right.reversed()).prefix(shorter - beginning)
            .prefix { lowercased($0) == lowercased($1) }.count
        return max(left.count, right.count) - beginning - end
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension EndpointTable {
    /// What a request to a path that none of the endpoints has may have been meant for; nil for
    /// what looks like no notification.
    ///
    /// An endpoint that does not admit the client is left out: whom all endpoints keep away cannot
    /// fill the rejection log by this way either.
    package func misdirection(
        of delivery: Delivery, where admits: (Endpoint) -> Bool = { _ in true }
    ) -> Misdirection? {
        Misdirection(
            of: delivery, among: endpoints.filter(admits), inspectedBytesMax: inspectedBytesMax)
    }
}
