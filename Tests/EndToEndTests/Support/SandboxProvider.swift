import Bytes
import Foundation
import Payments
import Providers
import ServerConfiguration

/// Acts as one provider of an instance, with the keys in `sandbox/` from `ipnd init`.
struct SandboxProvider {
    let endpoint: EndpointConfiguration
    let sender: any Sender

    init(_ endpointName: String, of instance: Instance) throws {
        let configuration = try Configuration.load(file: instance.configurationFile)
        guard let endpoint = configuration.endpoint(named: endpointName)
        else { throw CocoaError(.featureUnsupported) }
        self.endpoint = endpoint
        sender = try endpoint.descriptor.makeSender(
            SandboxKeys.senderSettings(for: endpoint, folder: configuration.folder))
    }

    /// The provider's request for one event, signed.
    func delivery(
        _ type: EventType = .paid, reference: String, minor: Int64 = 4200,
        currency: String = "MYR", number: Int = 1, path: String? = nil
    ) throws -> OutboundRequest {
        let event = SampleEvent(
            type: type, reference: reference,
            money: Money(minor: minor, currency: Currency(currency)!),
            occurred: Timestamp(microseconds: 1_795_244_400_000_000), number: number)
        return try sender.sign(event, path: path ?? endpoint.path)
    }
}

extension OutboundRequest {
    /// The bytes on the wire.
    func request(host: String = "localhost", close: Bool = false) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
        for header in headers {
            let name = String(decoding: header.name, as: UTF8.self)
            let value = String(decoding: header.value, as: UTF8.self)
            head += "\(name): \(value)\r\n"
        }
        head += "Content-Length: \(body.count)\r\n"
        if close { head += "Connection: close\r\n" }
        return Array("\(head)\r\n".utf8) + body
    }

    /// Returns the delivery with another value for one header; nil removes it.
    func replacing(header name: String, with value: String?) -> OutboundRequest {
        var kept = headers.filter { !$0.isNamed(name) }
        if let value { kept.append(Header(name, value)) }
        return OutboundRequest(method: method, target: target, headers: kept, body: body)
    }

    /// Returns the delivery with another body.
    func replacing(body: [UInt8]) -> OutboundRequest {
        OutboundRequest(method: method, target: target, headers: headers, body: body)
    }

    /// Returns the delivery with another target.
    func replacing(target: String) -> OutboundRequest {
        OutboundRequest(method: method, target: target, headers: headers, body: body)
    }
}
