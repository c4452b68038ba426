import Cryptography
import Headers
import JSON
import Payments

/// ecommpay's part: a callback with its signature inside.
package struct EcommpaySender: Sender {
    private let secret: [UInt8]
    private let projectID: Int64

    /// - Throws: ``SettingsError`` without a secret, or with a project id that is no number.
    package init(settings: SenderSettings) throws(SettingsError) {
        secret = try settings.requiredSecret()
        guard let projectID = Int64(settings.projectID ?? "115") else {
            throw SettingsError(key: "projectID", message: "ecommpay's project ids are numbers")
        }
        self.projectID = projectID
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundDelivery {
        let sample = try EcommpaySample(event)
        let unsigned = sample.body(event, projectID: projectID, signature: nil)
        guard let document = try? JSONDocument(parsing: unsigned),
            let leaves = try? EcommpayLeaves(of: document.root)
        else { throw .signingFailed }
        let text = EcommpayText.text(leaves, order: .natural)
        let signature = Base64.encode(HMAC.code(.sha512, key: secret, message: text))
        return OutboundDelivery(
            target: path, headers: [Header("content-type", "application/json")],
            body: sample.body(event, projectID: projectID, signature: signature))
    }

    package func judge(status: Int, contentType: String?, body: [UInt8]) -> Judgement {
        status == 200 ? .accepted : .sendsAgain("status \(status), ecommpay asks for 200")
    }

    /// Six at 10 s, then growing to 4 h, at most 120 attempts in 11 days (documented). How it grows
    /// is not: the pauses are doubled here until they reach 4 h, and end with the eleventh day.
    package let publishedRetrySchedule: [Duration] = {
        var schedule = [Duration](repeating: .seconds(10), count: 6)
        var pause = Duration.seconds(20)
        var elapsed = Duration.seconds(60)
        while schedule.count < 119, elapsed + pause <= .days(11) {
            schedule.append(pause)
            elapsed += pause
            pause = min(pause * 2, .hours(4))
        }
        return schedule
    }()
}
