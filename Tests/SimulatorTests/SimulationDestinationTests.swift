import HTTPServer
import Platform
import RawClient
import ServerConfiguration
import Testing

@testable import Simulator

@Suite struct SimulationDestinationTests {
    private func destination(
        listener: String = "127.0.0.1:8080", url: String? = nil, publicPath: String = "/public"
    ) throws -> SimulationDestination {
        var configuration = Sandbox.configuration
        configuration.listeners[0].address = try #require(SocketAddress(listener))
        var endpoint = try Sandbox.endpoint("antom")
        endpoint.publicPath = publicPath
        return try SimulationDestination(
            configuration, endpoint, url: url.flatMap { Destination($0) })
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "http://127.0.0.1:8080"), ("0.0.0.0:81", "http://127.0.0.1:81"),
        ("[::]:81", "http://[::1]:81"), ("192.0.2.1:81", "http://192.0.2.1:81"),
        ("unix:/run/x", "unix:/run/x"),
    ])
    func `without a URL notifications go to the first listener`(_ listener: String, _ url: String)
        throws
    {
        let place = try destination(listener: listener)
        #expect(place.destination.description == url)
        #expect(place.target == "/ipn/antom")
        #expect(place.signedPath == "/public")
    }

    @Test(arguments: [
        ("http://h", "/public", "/public"), ("http://h/other?a=1", "/other?a=1", "/other?a=1"),
        ("unix:/run/x", "/ipn/antom", "/public"), ("unix:/run/x:/y", "/y", "/y"),
    ])
    func `the URL determines the signed path`(_ url: String, _ target: String, _ signed: String)
        throws
    {
        let place = try destination(url: url)
        #expect(place.target == target)
        #expect(place.signedPath == signed)
    }

    @Test func `a port chosen by the kernel needs a URL`() {
        let error = #expect(throws: SimulationError.self) {
            try destination(listener: "127.0.0.1:0")
        }
        #expect(error?.reason == "no_destination")
    }

    @Test func `a listener for the PROXY protocol is skipped`() {
        var configuration = Sandbox.configuration
        configuration.listeners[0].proxy = ProxySettings(usesProxyProtocol: true)
        #expect(throws: SimulationError.self) {
            try SimulationDestination(configuration, Sandbox.endpoint("antom"), url: nil)
        }
    }
}
