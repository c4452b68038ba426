import AdminAPI
import Alerts
import Testing

@testable import Commands

/// The figures of alerts come from the metrics page, by the names that config/metrics.md lists.
@Suite struct AlertFiguresTests {
    @Test func `the figures are those of the page`() {
        let page = """
            # HELP ipnd_orders_overdue x
            ipnd_orders_overdue 3
            ipnd_journal_available_bytes 5000
            ipnd_delivery_dead_letters{destination="erp"} 2
            ipnd_delivery_dead_letters{destination="crm"} 0
            ipnd_delivery_breaker_open{destination="erp"} 1
            ipnd_delivery_breaker_open{destination="crm"} 0
            ipnd_inquiry_breaker_open{endpoint="antom"} 1
            ipnd_notifications_total{endpoint="antom",outcome="recorded"} 40
            ipnd_notifications_total{endpoint="antom",outcome="refused"} 2
            ipnd_refusals_total{endpoint="antom",reason="signature_mismatch"} 2
            ipnd_unknown_path_total{nearest="antom"} 1
            ipnd_redactions_total{endpoint="antom",what="card"} 2
            ipnd_redactions_total{endpoint="antom",what="code"} 1
            ipnd_redactions_total{endpoint="antom",what="value"} 7
            ipnd_certificate_expiry_timestamp_seconds{listener="listeners[0]"} 1900
            ipnd_config_last_reload_successful 0

            """
        let figures = AlertFigures(MetricsReading(page), now: 1000)
        #expect(figures.overdue == 3 && figures.availableBytes == 5000)
        #expect(figures.deadLetters == ["erp": 2, "crm": 0])
        #expect(figures.failingDestinations == ["erp"] && figures.failingInquiries == ["antom"])
        #expect(figures.requests == ["antom": 42] && figures.unknownPaths == ["antom": 1])
        #expect(
            figures.refusals == [.init(endpoint: "antom", reason: "signature_mismatch"): 2])
        #expect(figures.cardData == ["antom": 3])
        #expect(figures.certificates.map(\.secondsLeft) == [900])
        #expect(figures.reloadWasRefused)
        #expect(!AlertFigures(MetricsReading(""), now: 0).reloadWasRefused)
    }
}
