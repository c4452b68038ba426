import Providers

/// A notification to a path without an endpoint: the URL at the provider is wrong, or a proxy
/// rewrites the path. Recognised by its form alone; nothing in it is verified.
package struct Misdirection: Sendable {
    /// The system whose notification it resembles.
    package let system: String
    /// The endpoint that it was probably meant for.
    package let nearest: Endpoint

    /// Nil if `delivery` resembles no system's notification, or there is no endpoint.
    ///
    /// The nearest endpoint is the one whose path differs least: among those of the system that it
    /// resembles, or among all if there are none of that system.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints that it may have been meant for.
    ///   - providers: The systems whose marks are known.
    ///   - inspectedBytesMax: Bytes of the body that are inspected.
    package init?(
        of delivery: SignedRequest, among endpoints: [Endpoint], providers: ProviderCatalog,
        inspectedBytesMax: Int
    ) {
        guard delivery.method == "POST", !endpoints.isEmpty else { return nil }
        let found = Marks.fields(
            of: delivery.body, bytesMax: inspectedBytesMax, among: providers.markFields)
        let alike = endpoints.filter { $0.marks.match(delivery.headers, fieldsFound: found) }
        let system = providers.list.first {
            $0.marks.match(delivery.headers, fieldsFound: found)
        }
        guard
            let nearest = Self.nearest(to: delivery.path, among: alike.isEmpty ? endpoints : alike),
            let name = alike.isEmpty ? system?.name : nearest.providerName
        else { return nil }
        self.system = name
        self.nearest = nearest
    }

    /// The finding as a log line and the rejection log show it.
    package var sentence: String {
        let path = String(decoding: nearest.path, as: UTF8.self)
        return "no endpoint has this path; the nearest is \(nearest.name), \(path)"
    }

    /// The first of the endpoints whose path, or public path, differs least.
    private static func nearest(
        to path: ArraySlice<UInt8>, among endpoints: [Endpoint]
    ) -> Endpoint? {
        endpoints
            .map { ($0, min(distance(path, $0.path[...]), distance(path, $0.signedPath))) }
            .min { $0.1 < $1.1 }?.0
    }

    /// Number of bytes of the longer path that are neither in the common prefix nor in the common
    /// suffix, ignoring case. Proxies add and remove prefixes; people mistype the middle. Takes at
    /// most two passes over the shorter path; an edit distance would multiply the lengths.
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
    /// The endpoint that a request to an unknown path may have been meant for; nil if the request
    /// does not resemble a notification.
    ///
    /// Endpoints that do not admit the client are left out. Clients that no endpoint admits
    /// therefore cannot fill the rejection log.
    package func misdirection(
        of delivery: SignedRequest, where admits: (Endpoint) -> Bool = { _ in true }
    ) -> Misdirection? {
        Misdirection(
            of: delivery, among: endpoints.filter(admits), providers: providers,
            inspectedBytesMax: inspectedBytesMax)
    }
}
