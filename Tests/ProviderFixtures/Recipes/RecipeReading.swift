import Bytes
import JSON
import Payments

@testable import Providers

/// Reads bodies as an endpoint of a shipped recipe does once their sender is known.
struct RecipeReading {
    private let interpretation: MappedInterpretation

    init(_ name: String, _ settings: [String: SettingValue] = [:]) {
        let recipe = Recipe.shipped(name)
        do throws(SettingsError) {
            let given = EndpointSettings(name: name, settings)
            interpretation = MappedInterpretation(
                recipe.fields, body: recipe.body, settings: try recipe.withDefaults(given))
        } catch {
            fatalError("\(name): \(error)")
        }
    }

    func read(_ body: Body, headers: [Header] = []) -> [Notification] {
        read(body.bytes, headers: headers)
    }

    func read(_ body: [UInt8], headers: [Header] = []) -> [Notification] {
        interpretation.notifications(
            body,
            headerValues: interpretation.headers.map { name in
                headers.first { $0.name.elementsEqual(name.utf8) }
                    .map { String(decoding: $0.value, as: UTF8.self) }
            })
    }
}

extension Recipe {
    /// The settings with their defaults; what is required may be missing.
    fileprivate func withDefaults(
        _ given: EndpointSettings
    ) throws(SettingsError) -> EndpointSettings {
        var settings = given
        for setting in self.settings where settings[setting.key] == nil {
            settings[setting.key] = setting.standard
        }
        return settings
    }
}
