import Payments
import Providers

/// Everything that a trial will send, signed beforehand.
package struct SimulationPlan: Sendable {
    /// What is in one stage may be under way at once; a stage begins when the one before has ended.
    package let stages: [[SimulationDelivery]]
    package let scenario: Scenario
    /// What really happens to each order, as far as a genuine notification tells it.
    package let lives: [SampleLife]

    /// How many requests it makes when each is answered well.
    package var requestCount: Int {
        stages.joined().reduce(0) { $0 + $1.copies }
    }

    /// Signs the scenario for each order.
    ///
    /// - Parameters:
    ///   - path: What the provider was given as the URL's path, query included.
    ///   - target: What goes on the wire, where a proxy would have rewritten the path.
    ///   - copies: How often each is sent; nil leaves it to the scenario.
    ///   - progress: Called with how many are signed.
    /// - Throws: ``SimulationError``, `unsupported` where the system cannot express the scenario.
    package init(
        _ scenario: Scenario, of orders: [SimulationOrder], by trial: SimulationSender,
        path: String,
        target: String? = nil, copies: Int? = nil, progress: (Int) -> Void = { _ in }
    ) throws(SimulationError) {
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
                let (event, outbound) = try Self.sign(order, step, index + 1, sender, path, trial)
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

    /// No request where the system has no such notification and the step may be left out.
    private static func sign(
        _ order: SimulationOrder, _ step: ScenarioStep, _ number: Int, _ sender: any Sender,
        _ path: String, _ trial: SimulationSender
    ) throws(SimulationError) -> (SampleEvent, OutboundDelivery?) {
        let event = order.event(step, number: number)
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
                return try sign(order, other, number, sender, path, trial)
            }
            if step.isOptional { return (event, nil) }
            throw .unsupported(
                type, system: trial.descriptor.title, because: sender.absence(of: type))
        }
    }
}

extension OutboundDelivery {
    /// The same to another target; nil leaves it as it is.
    fileprivate func aimed(at target: String?) -> OutboundDelivery {
        guard let target else { return self }
        return OutboundDelivery(method: method, target: target, headers: headers, body: body)
    }
}

extension SimulationOrder {
    /// The event of one step; each happens a second after the one before.
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
