import Alerts
import Glibc

extension ConfigurationReader {
    /// Reads `alerts`.
    ///
    /// - Parameter journal: The state is beside it.
    func alerts(beside journal: String) -> AlertsConfiguration? {
        guard let value = root.optional("alerts"), let section = value.mapping() else {
            return nil
        }
        let parent = journal.lastIndex(of: "/").map { journal[..<$0] } ?? ""
        var alerts = AlertsConfiguration(directory: "\(parent)/alerts")
        section.optional("directory")?.path().map { alerts.directory = $0 }
        if let place = section.optional("webhook"), let webhook = place.mapping() {
            alerts.webhook = DestinationReader(section: webhook, endpoints: nil).alertWebhook()
        }
        alerts.mail = section.optional("sendmail").flatMap(mail)
        let hasWay = section.contains("webhook") || section.contains("sendmail")
        readSettings(section, &alerts.settings)
        section.finish()
        if !hasWay {
            value.mistake(
                "has neither `webhook` nor `sendmail`, so that no alert is sent",
                "write `sendmail: {to: [ops@shop.example], from: ipnd@shop.example}`")
        }
        return alerts
    }

    private func readSettings(_ section: MappingReader, _ settings: inout AlertSettings) {
        let except = section.optional("except")?.list { $0.choice(AlertKind.self) }
        except.map { settings.except = Set($0) }
        section.optional("checkSeconds")?.integer(in: 1...3600)
            .map { settings.checkSeconds = $0 }
        section.optional("failingSeconds")?.integer(in: 0...86_400)
            .map { settings.failingSeconds = $0 }
        section.optional("growsSeconds")?.integer(in: 0...604_800)
            .map { settings.growsSeconds = $0 }
        section.optional("repeatHours")?.integer(in: 1...8760).map { settings.repeatHours = $0 }
        section.optional("refusalsMin")?.integer(in: 1...1_000_000)
            .map { settings.refusalsMin = $0 }
        section.optional("refusalsPercent")?.integer(in: 0...100)
            .map { settings.refusalsPercent = $0 }
        section.optional("freeMiBMin")?.integer(in: 0...1 << 30).map { settings.freeMiBMin = $0 }
        section.optional("certificateDays")?.integer(in: 0...365)
            .map { settings.certificateDays = $0 }
        if let place = section.optional("pages"), let url = place.webURL() {
            let text = place.filledText() ?? ""
            if url.withoutQuery != text {
                place.mistake("has a query", "write the address of the pages: https://…/ui/")
            }
            settings.pages = text.hasSuffix("/") ? text : "\(text)/"
        }
    }

    private func mail(_ value: ValueReader) -> AlertsConfiguration.Mail? {
        guard let section = value.mapping() else { return nil }
        let to = section.required("to", "write `to: [ops@shop.example]`")?
            .list(Self.mailAddress)
        let from = section.required("from", "write `from: ipnd@shop.example`")
            .flatMap(Self.mailAddress)
        let commandPlace = section.optional("command")
        let command = commandPlace?.path() ?? "/usr/sbin/sendmail"
        section.finish()
        if access(command, X_OK) != 0 {
            (commandPlace ?? value).warning(
                "\(command) cannot be run, so no mail is sent",
                "install a mail program, such as msmtp-mta, or name it as `command`")
        }
        guard let to, !to.isEmpty, let from else { return nil }
        return AlertsConfiguration.Mail(from: from, to: to, command: command)
    }

    /// Reads an address without a display name. It becomes an argument and a header, so that only
    /// plain ones are accepted.
    private static func mailAddress(_ value: ValueReader) -> String? {
        guard let text = value.filledText() else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isGood =
            parts.count == 2 && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix("-") }
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || "@.!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
            }
        guard isGood, text.utf8.count <= 254 else {
            value.mistake("\(quoted(text)) is not a mail address", "write ops@shop.example")
            return nil
        }
        return text
    }
}

extension DestinationReader {
    /// The webhook of alerts: the keys of a destination that are about its connection.
    func alertWebhook() -> AlertsConfiguration.Webhook? {
        let url = section.required("url", "write `url: https://hooks.chat.example/…`")?.webURL()
        let isSigned = section.contains("secrets")
        let signer = isSigned ? signer() : nil
        let connection = connection(of: url)
        section.finish()
        guard let url, signer != nil || !isSigned else { return nil }
        return AlertsConfiguration.Webhook(
            url: url, signer: signer, headers: connection.headers, route: connection.route)
    }
}
