import Payments
import Providers

/// All requests of a trial, signed in advance.
package struct SimulationPlan: Sendable {
    /// Deliveries of one stage may be concurrent; a stage begins when the previous one has ended.
    package let stages: [[SimulationDelivery]]
    package let scenario: Scenario
    /// The events of each order that genuine notifications report.
    package let lives: [SampleLife]

    /// Number of requests if every answer is correct.
    package var requestCount: Int {
        stages.joined().reduce(0) { $0 + $1.copies }
    }

    /// Signs the scenario for each order.
    ///
    /// - Parameters:
    ///   - path: Path and query of the provider's URL.
    ///   - target: The target to send, if a proxy would rewrite the path.
    ///   - copies: Number of copies of each; nil takes the scenario's.
    ///   - progress: Called with the number of signed notifications.
    /// - Throws: ``SimulationError``, `unsupported` if the provider cannot express the scenario.
    package init(
        _ scenario: Scenario, of orders: [SimulationOrder], by trial: SimulationSender,
        path: String,
        target: String? = nil, copies: Int? = nil, progress: (Int) -> Void = { _ in }
    ) throws(SimulationError) {
        let scenario = scenario.adapted(to: trial.sender)
        let isDivided = scenario.steps.contains { $0.portion == .quarter }
        guard !isDivided || orders.allSatisfy({ $0.money.minor >= 4 }) else {
            throw .amountTooSmall
        }
        let impostor: (any Sender)? =
            scenario.steps.contains { $0.authenticity == .foreignKey } ? try trial.impostor() : nil
        var stages: [[SimulationDelivery]] = []
        var lives = orders.map { SampleLife(reference: $0.reference) }
        var signed = 0
        for (index, step) in scenario.steps.enumerated() {
            let sender = step.authenticity == .foreignKey ? impostor ?? trial.sender : trial.sender
            var stage: [SimulationDelivery] = []
            for (place, order) in orders.enumerated() {
                let (event, outbound) = try Self.sign(
                    order, step, index + 1, lives[place], sender, path, trial)
                guard let outbound else { break }
                signed += 1
                progress(signed)
                if step.authenticity == .genuine { lives[place].append(event) }
                stage.append(
                    SimulationDelivery(
                        event: event, outbound: outbound.aimed(at: target),
                        authenticity: step.authenticity,
                        copies: copies ?? scenario.copies, number: signed))
            }
            if !stage.isEmpty { stages.append(stage) }
        }
        self.stages = scenario.arrivesReversed ? stages.reversed() : stages
        self.scenario = scenario
        self.lives = lives
    }

    /// Nil if the provider has no such notification and the step is optional.
    private static func sign(
        _ order: SimulationOrder, _ step: ScenarioStep, _ number: Int, _ life: SampleLife,
        _ sender: any Sender, _ path: String, _ trial: SimulationSender
    ) throws(SimulationError) -> (SampleEvent, OutboundRequest?) {
        let event = life.following(order.event(step, number: number))
        do throws(SenderError) {
            let outbound = try sender.sign(event, path: path)
            let isDamaged = step.authenticity == .tampered
            return (event, isDamaged ? outbound.damaged(reference: event.reference) : outbound)
        } catch {
            guard case .unsupported(let type) = error else {
                throw SimulationError(error, system: trial.descriptor.title)
            }
            if let substitute = step.substitute {
                var other = step
                other.type = substitute
                other.substitute = nil
                return try sign(order, other, number, life, sender, path, trial)
            }
            if step.isOptional { return (event, nil) }
            throw .unsupported(
                type, system: trial.descriptor.title, because: sender.absence(of: type))
        }
    }
}

extension OutboundRequest {
    /// A copy to another target; nil keeps it.
    fileprivate func aimed(at target: String?) -> OutboundRequest {
        guard let target else { return self }
        return OutboundRequest(method: method, target: target, headers: headers, body: body)
    }
}

extension SimulationOrder {
    /// The event of one step, a second after the previous one.
    func event(_ step: ScenarioStep, number: Int) -> SampleEvent {
        let transaction = transaction(ofAttempt: step.attempt)
        return SampleEvent(
            type: step.type, reference: reference, transaction: transaction,
            actionID: action(
                kind: step.type.kind, number: step.action, transaction: transaction),
            money: step.money(of: money),
            occurred: Timestamp(microseconds: began.microseconds + Int64(number - 1) * 1_000_000),
            number: number)
    }
}

/// One signed notification of a trial.
package struct SimulationDelivery: Sendable, Equatable {
    package let event: SampleEvent
    package let outbound: OutboundRequest
    package let authenticity: ScenarioStep.Authenticity
    /// Number of identical copies.
    package let copies: Int
    /// Number of the notification in the trial, from 1.
    package let number: Int
}
