import Bytes
import Cryptography
import JSON
import Payments

/// ecommpay's side of a notification: a callback with its signature in the body.
package struct EcommpaySender: Sender {
    private let secret: [UInt8]
    private let projectID: Int64

    /// - Throws: ``SettingsError`` without a secret, or with a project id that is not a number.
    package init(settings: EndpointSettings) throws(SettingsError) {
        secret = try settings.senderSecret()
        guard let projectID = Int64(settings[Ecommpay.projectID] ?? "115") else {
            throw Ecommpay.projectID.error("ecommpay's project ids are numbers")
        }
        self.projectID = projectID
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        let sample = try EcommpaySample(event)
        let unsigned = sample.body(event, projectID: projectID, signature: nil)
        guard let document = try? JSONDocument(parsing: unsigned),
            let leaves = try? EcommpayLeaves(of: document.root)
        else { throw .signingFailed }
        let text = EcommpayText.text(leaves, order: .natural)
        let signature = Base64.encode(HMAC.code(.sha512, key: secret, message: text))
        return OutboundRequest(
            target: path, headers: [Header("content-type", "application/json")],
            body: sample.body(event, projectID: projectID, signature: signature))
    }

    package func absence(of type: EventType) -> String? {
        guard type.kind == "dispute" else { return nil }
        return "ecommpay's chargeback callbacks are not signed: they are refused unless "
            + "`unsignedChargebacks` allows their network, and then the order is in review"
    }

    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        status == 200 ? .accepted : .sendsAgain("status \(status), ecommpay asks for 200")
    }

    /// Six repeats at 10 s, then pauses of 70 + 10·1.12^(n−4), where n is the number of the
    /// attempt, until they exceed 4 h, then 4 h; at most 120 attempts within 11 days (documented).
    ///
    /// The page names no unit. It must be seconds: 120 attempts then take 10 days and 6 hours, and
    /// the first pause continues those of 10 s. In minutes, attempt 30 would reach the 4 h, and 120
    /// attempts would take 17 days.
    package let publishedRetrySchedule: [Duration] = {
        var schedule = [Duration](repeating: .seconds(10), count: 6)
        var growth = 1.0
        for attempt in 5...attemptsMax {
            growth *= 1.12
            // The seventh attempt is the last one at 10 s.
            guard attempt > 7 else { continue }
            schedule.append(.seconds(min((70 + 10 * growth).rounded(), 4 * 3600)))
        }
        return schedule
    }()

    private static let attemptsMax = 120
}
