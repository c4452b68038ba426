import Providers
import RawClient
import Simulator

extension SendWayOptions {
    /// Tells the simulator what happens to each order, so that notifications and answers tell one
    /// truth.
    ///
    /// - Throws: `noDestination` where it does not take it.
    func register(_ plan: SimulationPlan, endpoint: String) throws(SimulationError) {
        guard let simulator else { return }
        let client = RawClient(simulator, limits: limits)
        for life in plan.lives {
            let request = RequestBytes.encode(
                method: "POST", target: Array("/simulate/payments".utf8)[...],
                host: simulator.authority,
                headers: [
                    (
                        Array("Content-Type".utf8)[...], Array("application/json".utf8)[...]
                    )
                ], body: life.json(endpoint: endpoint))
            let response: ReceivedResponse
            do throws(ClientError) { response = try client.exchange(request) } catch {
                throw .noDestination("\(error). Is `ipnd simulate` running?")
            }
            guard response.status == 204 else {
                let words = String(decoding: response.body.prefix(200), as: UTF8.self)
                throw .noDestination(
                    "\(simulator) answers \(response.status): \(TextTable.printable(words))")
            }
        }
    }
}
