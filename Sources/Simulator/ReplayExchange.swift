import JSON
import Providers
import RawClient

/// One request that was sent again, with what came back.
package struct ReplayExchange: Sendable {
    package let item: ReplayItem
    package let result: Result<ReceivedResponse, ClientError>
    package let judgement: Judgement
    package let micros: UInt64

    /// `{"type":"exchange","name":"#42","endpoint":…,"status":200,…}`, without the newline.
    package var json: [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.beginObject()
        json.member("type", "exchange")
        json.member("name", item.name)
        if let endpoint = item.endpoint { json.member("endpoint", endpoint) }
        json.member("target", String(decoding: item.request.target, as: UTF8.self))
        json.member("bytes", item.request.body.count)
        result.write(to: &json)
        judgement.write(to: &json)
        json.member("micros", Int(micros))
        json.endObject()
        return json.bytes
    }
}
