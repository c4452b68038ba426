import Bytes
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    /// Midtrans signs the order, the sum and a code, and nothing else, which the suites over
    /// ``all`` expect of every provider.
    package static let midtrans: ProviderFixture = {
        var fixture = ProviderFixture(.midtrans, settings("first"), settings("second"))
        fixture.truthBlocks = 2
        fixture.isPublishedSchedule = { pauses in
            pauses == [2, 10, 30, 90, 210].map { .seconds($0 * 60) }
        }
        fixture.readings = { body in
            guard let root = try? JSONDocument(parsing: body).root else { return [] }
            let read = MidtransInterpretation(root: root, body: body)
            return read.notifications + read.facts
        }
        fixture.teller = MidtransTeller.self
        return fixture
    }()

    private static func settings(_ secret: String) -> EndpointSettings {
        EndpointSettings(
            name: "midtrans",
            [
                "secrets": .secrets([Array("SB-Mid-server-\(secret)".utf8)]),
                "merchantID": "G000000001",
            ])
    }
}
