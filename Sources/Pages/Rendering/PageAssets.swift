import Bytes
import Cryptography

/// A file of `Assets`. All of them are embedded in the program, so that only one binary is
/// installed.
struct PageAsset: Sendable {
    let bytes: [UInt8]
    let mediaType: String
    /// A part of the links to the file, so that browsers can cache it for good and still get a new
    /// version.
    let version: String

    init(_ bytes: [UInt8], _ mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
        version = String(Hex.encode(SHA256.hash(bytes)).prefix(12))
    }
}

enum PageAssets {
    static let style = PageAsset(PackageResources.style_css, "text/css; charset=utf-8")
    static let script = PageAsset(PackageResources.script_js, "text/javascript; charset=utf-8")
    static let icon = PageAsset(PackageResources.icon_svg, "image/svg+xml")

    /// The static files, by the last part of their path.
    static let files = ["style.css": style, "script.js": script, "icon.svg": icon]

    static let templates: [(name: String, text: String)] = [
        ("layout", PackageResources.layout_mustache),
        ("session", PackageResources.session_mustache),
        ("notice", PackageResources.notice_mustache),
        ("status", PackageResources.status_mustache),
        ("time", PackageResources.time_mustache),
        ("request", PackageResources.request_mustache),
        ("advice", PackageResources.advice_mustache),
        ("orderRows", PackageResources.orderRows_mustache),
        ("now", PackageResources.now_mustache),
        ("orders", PackageResources.orders_mustache),
        ("order", PackageResources.order_mustache),
        ("rejections", PackageResources.rejections_mustache),
        ("destinations", PackageResources.destinations_mustache),
        ("events", PackageResources.events_mustache),
        ("timelineEntry", PackageResources.timelineEntry_mustache),
        ("audit", PackageResources.audit_mustache),
        ("journal", PackageResources.journal_mustache),
        ("providers", PackageResources.providers_mustache),
    ].map { ($0.0, String(decoding: $0.1, as: UTF8.self)) }
}
