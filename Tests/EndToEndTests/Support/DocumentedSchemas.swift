import Foundation
import TestSupport
import Yams

/// Checks answers against the schemas of config/openapi.yaml, with the parts of JSON Schema that it
/// uses. Stricter than the standard: an undocumented member is an error.
struct DocumentedSchemas {
    typealias Schema = [String: Any]
    struct NotReadable: Error {}

    private let schemas: [String: Schema]

    init() throws {
        let document = try Yams.load(yaml: SourceTree.text("config/openapi.yaml")) as? Schema
        let components = document?["components"] as? Schema
        guard let schemas = components?["schemas"] as? [String: Schema] else { throw NotReadable() }
        self.schemas = schemas
    }

    /// The values of an enumeration.
    func words(of name: String) -> [String] { schemas[name]?["enum"] as? [String] ?? [] }

    /// Returns the deviations from the documentation.
    func complaints(about value: Any, as name: String) -> [String] {
        check(value, schemas[name] ?? ["const": "no schema \(name)"], name)
    }

    private func check(_ value: Any, _ schema: Schema, _ place: String) -> [String] {
        if let target = referenced(schema) { return check(value, target, place) }
        for keyword in ["anyOf", "oneOf"] {
            guard let choices = schema[keyword] as? [Schema] else { continue }
            let found = choices.map { check(value, $0, place) }
            return found.contains([]) ? [] : found.max { $0.count > $1.count } ?? []
        }
        if let constant = schema["const"], "\(constant)" != "\(value)" {
            return ["\(place): not \(constant)"]
        }
        if let choices = schema["enum"] as? [Any],
            !choices.contains(where: { "\($0)" == "\(value)" })
        {
            return ["\(place): \(value) is not documented"]
        }
        let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
        if !types.isEmpty, !types.contains(where: { Self.isOf($0, value) }) {
            return ["\(place): \(value) is no \(types.joined(separator: " or "))"]
        }
        if let object = value as? Schema { return checkMembers(of: object, schema, place) }
        guard let array = value as? [Any], let items = schema["items"] as? Schema else { return [] }
        let isShort = array.count < schema["minItems"] as? Int ?? 0
        return (isShort ? ["\(place): too few"] : [])
            + array.flatMap { check($0, items, "\(place)[]") }
    }

    private func checkMembers(of object: Schema, _ schema: Schema, _ place: String) -> [String] {
        let (properties, required) = members(of: schema)
        // A free-form object of the merchant's, such as metadata.
        guard !properties.isEmpty else { return [] }
        var complaints = required.filter { object[$0] == nil }.map { "\(place).\($0) is missing" }
        for (name, value) in object {
            if let property = properties[name] {
                complaints += check(value, property, "\(place).\(name)")
            } else {
                complaints.append("\(place).\(name) is not documented")
            }
        }
        return complaints.sorted()
    }

    /// The members of an object's schema, including those of its parts.
    private func members(of schema: Schema) -> (properties: [String: Schema], required: [String]) {
        if let target = referenced(schema) { return members(of: target) }
        var properties = schema["properties"] as? [String: Schema] ?? [:]
        var required = schema["required"] as? [String] ?? []
        for part in schema["allOf"] as? [Schema] ?? [] {
            let (more, needed) = members(of: part)
            properties.merge(more) { first, _ in first }
            required += needed
        }
        return (properties, required)
    }

    private func referenced(_ schema: Schema) -> Schema? {
        guard let reference = schema["$ref"] as? String else { return nil }
        return schemas[reference.replacing("#/components/schemas/", with: "")]
    }

    private static func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "object": value is Schema
        case "array": value is [Any]
        case "string": value is String
        case "integer": value is Int
        case "boolean": value is Bool
        case "null": value is NSNull
        default: false
        }
    }
}
