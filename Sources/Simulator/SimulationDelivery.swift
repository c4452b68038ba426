import Providers

/// One notification of a trial, signed and ready.
package struct SimulationDelivery: Sendable, Equatable {
    package let event: SampleEvent
    package let outbound: OutboundDelivery
    package let authenticity: ScenarioStep.Authenticity
    /// How often it is sent, byte for byte.
    package let copies: Int
    /// Which notification of the trial it is, from 1.
    package let number: Int
}
