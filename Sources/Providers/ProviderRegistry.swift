/// The systems that ipnd knows: one line each.
package enum ProviderRegistry {
    /// By the name in the configuration.
    package static let all: [String: ProviderDescriptor] = Dictionary(
        uniqueKeysWithValues: [antom, citconUPI].map { ($0.name, $0) })

    static let antom = ProviderDescriptor(
        name: "antom", title: "Antom", credential: .rsaKeyPair, settingsKeys: ["clientID", "keys"],
        make: Antom.init, makeSender: AntomSender.init)
    static let citconUPI = ProviderDescriptor(
        name: "citcon-upi", title: "Citcon UPI", credential: .secret, settingsKeys: ["secrets"],
        make: CitconUPI.init, makeSender: CitconUPISender.init)
}
