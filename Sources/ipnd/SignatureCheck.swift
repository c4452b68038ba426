import ArgumentParser
import Configuration
import Glibc
import Providers
import Receiver
import Store

/// Verifies recorded requests once more, from the bytes that the journal keeps.
final class SignatureCheck {
    /// How many bad ones are named.
    private static let namedMax = 20

    private let endpoints: [String: EndpointConfiguration]
    private var verified = 0
    private var failed = 0
    private var unknownEndpoint = 0

    init(_ configuration: Configuration) {
        endpoints = Dictionary(
            configuration.endpoints.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Checks one record. Throws when it is no record.
    func check(_ sequence: UInt64, _ record: UnsafeRawBufferPointer) throws {
        let event = try RecordDecoder.event(record)
        // What the merchant registered came from no provider: there is no signature.
        guard event.registered == nil else { return }
        guard let endpoint = endpoints[event.endpoint] else {
            unknownEndpoint += 1
            return
        }
        let request = try RecordDecoder.request(record)
        do throws(Refusal) {
            try Self.verify(Delivery(request, publicPath: endpoint.publicPath), endpoint.provider)
            verified += 1
        } catch {
            failed += 1
            if failed <= Self.namedMax {
                StandardError.print("record \(sequence): \(error.reason): \(error.detail)")
            }
        }
    }

    private static func verify(
        _ delivery: Delivery, _ provider: some Provider
    ) throws(Refusal) {
        _ = try provider.verify(delivery)
    }

    /// Prints the counts; throws 72 when a signature does not verify.
    func report() throws {
        StandardOutput.print("signatures   \(verified) verified, \(failed) not")
        if unknownEndpoint > 0 {
            StandardOutput.print(
                "             \(unknownEndpoint) records of endpoints that are not in the configuration"
            )
        }
        guard failed == 0 else {
            StandardError.print(
                "ipnd: \(failed) signatures do not verify with the keys of this configuration")
            throw ExitCode(EX_OSFILE)
        }
    }
}

extension Delivery {
    /// The delivery that a record kept.
    init(_ request: RecordedRequest, publicPath: String) {
        let mark = request.target.firstIndex(of: UInt8(ascii: "?"))
        self.init(
            method: request.method, path: Array(publicPath.utf8)[...],
            query: mark.map { request.target[request.target.index(after: $0)...] },
            headers: request.headers,
            body: request.body)
    }
}
