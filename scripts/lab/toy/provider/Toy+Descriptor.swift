extension Toy {
    static let shop = Setting<String>("shop", .text, help: "the shop's id, which is signed") {
        $0.isRequired = true
        $0.prompt = "Shop id"
        $0.sandbox = .fixed("TOY_1")
        $0.summary = { if case .text(let id) = $0 { "shop \(id)" } else { nil } }
    }
}

extension ProviderDescriptor {
    static let toy = ProviderDescriptor(
        name: "toy", title: "Toy", settings: [SettingRow.secrets.row, Toy.shop.row],
        marks: Marks(headers: [["x-toy-signature"]]), urlPlace: "the toy's box",
        make: { (settings) throws(SettingsError) in try Toy(settings: settings) },
        makeSender: ToySender.init)
}
