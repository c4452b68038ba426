import JSON
import Tracing

/// Attributes in OTLP's form, sorted by name.
enum OTLPAttributes {
    static func write(_ attributes: SpanAttributes, to json: inout JSONWriter) {
        if attributes.isEmpty { return }
        var pairs: [(String, SpanAttribute)] = []
        attributes.forEach { pairs.append(($0, $1)) }
        write(pairs.sorted { $0.0 < $1.0 }, to: &json)
    }

    static func write(_ pairs: [(String, SpanAttribute)], to json: inout JSONWriter) {
        json.key("attributes")
        json.beginArray()
        for (name, value) in pairs {
            json.beginObject()
            json.member("key", name)
            json.key("value")
            json.beginObject()
            switch value {
            case .bool(let value): json.member("boolValue", value)
            case .int32(let value): json.member("intValue", String(value))
            case .int64(let value): json.member("intValue", String(value))
            case .double(let value) where value.isFinite:
                json.key("doubleValue")
                json.raw(Array("\(value)".utf8)[...])
            case .string(let value): json.member("stringValue", value)
            case .stringConvertible(let value): json.member("stringValue", "\(value)")
            default: json.member("stringValue", "\(value)")
            }
            json.endObject()
            json.endObject()
        }
        json.endArray()
    }
}

/// Who sends: the attributes of every export.
package struct TelemetryResource: Sendable {
    package var serviceName: String
    package var version: String
    /// Tells instances of one service apart.
    package var instance: String

    package init(serviceName: String, version: String, instance: String) {
        self.serviceName = serviceName
        self.version = version
        self.instance = instance
    }

    func write(to json: inout JSONWriter) {
        json.key("resource")
        json.beginObject()
        OTLPAttributes.write(
            [
                ("service.instance.id", .string(instance)), ("service.name", .string(serviceName)),
                ("service.version", .string(version)),
            ], to: &json)
        json.endObject()
    }

    func writeScope(to json: inout JSONWriter) {
        json.key("scope")
        json.beginObject()
        json.member("name", "ipnd")
        json.member("version", version)
        json.endObject()
    }
}
