/// A capture of an authorised attempt, by the provider's capture id.
package struct Capture: Sendable, Equatable, Joinable {
    package let id: String
    package internal(set) var reports: Reports<ActionStatus>

    package var status: ActionStatus? { reports.status }
    package var amount: Money? { reports.amount }

    mutating func join(_ other: Capture) {
        reports.join(other.reports)
    }
}
