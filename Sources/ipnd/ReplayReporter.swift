import RawClient
import Simulator

/// What `ipnd replay` says.
final class ReplayReporter {
    private let isJSON: Bool
    private var tally = ReplayTally()

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// One line for each exchange; false when going on makes no sense, because nobody is there.
    func report(_ exchange: ReplayExchange) -> Bool {
        tally.add(exchange)
        if isJSON {
            _ = StandardOutput.write(exchange.json + [UInt8(ascii: "\n")])
        } else {
            StandardOutput.print(Self.line(exchange))
        }
        return !tally.neverConnected
    }

    private static func line(_ exchange: ReplayExchange) -> String {
        let answer =
            switch exchange.result {
            case .success(let response): String(response.status)
            case .failure(let error): error.reason
            }
        let verdict =
            switch exchange.judgement {
            case .accepted: "accepted"
            case .sendsAgain(let why): "would send again: \(why)"
            }
        let target = String(decoding: exchange.item.request.target, as: UTF8.self)
        return TextTable.printable(
            "\(exchange.item.name)  \(target)  \(answer)  \(exchange.micros / 1000) ms  \(verdict)")
    }

    /// Prints the counts; the exit status.
    func end() -> Int32 {
        if isJSON {
            _ = StandardOutput.write(tally.json + [UInt8(ascii: "\n")])
        } else {
            StandardOutput.print(
                "\(tally.requests) sent, \(tally.accepted) accepted, "
                    + "\(tally.requests - tally.accepted) not; answers: \(tally.answersText)")
        }
        if let failure = tally.connectFailure { StandardError.print("ipnd replay: \(failure)") }
        return tally.exitStatus
    }
}
