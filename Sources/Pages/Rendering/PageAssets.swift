import Bytes
import Cryptography

/// The files of `Assets`, in the program itself: one binary is all that is installed.
struct PageAsset: Sendable {
    let bytes: [UInt8]
    let mediaType: String
    /// Stands in the links to it, so that a browser keeps a file for ever and asks for a new one.
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

    /// By the last part of their path.
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
        ("journal", PackageResources.journal_mustache),
        ("providers", PackageResources.providers_mustache),
    ].map { ($0.0, String(decoding: $0.1, as: UTF8.self)) }
}
