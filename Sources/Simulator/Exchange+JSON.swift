import JSON
import Providers
import RawClient

extension Exchange {
    /// One JSON line, without the newline:
    ///
    /// ```json
    /// {"type":"exchange","number":1,"copy":1,"attempt":1,"elapsedSeconds":0,"event":"paid",
    ///  "reference":"…","transaction":"…","amount":{"minor":4200,"currency":"MYR"},
    ///  "genuine":true,"status":200,"answer":"ok","judgement":"accepted","satisfactory":true,
    ///  "micros":812}
    /// ```
    ///
    /// Without an answer, `error` and `detail` stand for `status` and `answer`; `why` is there when
    /// the provider would send again.
    package var json: [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.beginObject()
        json.member("type", "exchange")
        json.member("number", delivery.number)
        json.member("copy", copy)
        json.member("attempt", attempt)
        json.member("elapsedSeconds", Int(elapsed.components.seconds))
        json.member("event", delivery.event.type.rawValue)
        json.member("reference", delivery.event.reference)
        json.member("transaction", delivery.event.transaction)
        json.key("amount")
        json.beginObject()
        json.member("minor", Int(delivery.event.money.minor))
        json.member("currency", delivery.event.money.currency.code)
        json.endObject()
        json.member("genuine", delivery.authenticity == .genuine)
        result.write(to: &json)
        judgement.write(to: &json)
        json.member("satisfactory", isSatisfactory)
        json.member("micros", Int(micros))
        json.endObject()
        return json.bytes
    }
}

extension Result<ReceivedResponse, ClientError> {
    /// `status` and `answer`, or `error` and `detail`.
    func write(to json: inout JSONWriter) {
        switch self {
        case .success(let response):
            json.member("status", response.status)
            json.member("answer", String(decoding: response.body.prefix(1024), as: UTF8.self))
        case .failure(let error):
            json.member("error", error.reason)
            json.member("detail", "\(error)")
        }
    }
}

extension Judgement {
    /// `judgement`, and `why`.
    func write(to json: inout JSONWriter) {
        switch self {
        case .accepted: json.member("judgement", "accepted")
        case .sendsAgain(let why):
            json.member("judgement", "sends_again")
            json.member("why", why)
        }
    }
}

extension JSONWriter {
    mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    mutating func member(_ name: String, _ value: Int) {
        key(name)
        integer(value)
    }

    mutating func member(_ name: String, _ value: Bool) {
        key(name)
        boolean(value)
    }
}
