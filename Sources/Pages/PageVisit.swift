import AdminAPI
import HTTP
import HTTPServer
import Store

/// One request for a page, by an authenticated caller.
struct PageVisit: Sendable {
    let request: Request
    let context: RequestContext
    let caller: AdminCaller
    /// Whether the caller has signed in. Without a configured token no session is needed.
    let hasSession: Bool
    let base: String
    /// The admin API, with the caller's rights.
    let api: LocalClient

    var role: AdminRole { caller.role }

    var query: FormFields { FormFields(query: request.query) }

    /// The path of an order's page, relative to this page; nil without a reference.
    ///
    /// - Parameter act: The last part of the path of an act, such as `inquire`.
    func path(endpoint: String, reference: String?, act: String? = nil) -> String? {
        reference.map {
            base + OrderPath.of(OrderName(endpoint: endpoint, reference: $0), act: act)
        }
    }

    /// The whole page, from the screen's values and those of the layout.
    func page(_ template: String, _ screen: Screen, _ values: PageValues) -> Response {
        var all = values
        all["base"] = base
        all["mayAct"] = role.mayAct
        let isAnonymous = ["local", "nobody"].contains(caller.name)
        let isRole = caller.name == role.rawValue
        all["person"] = isAnonymous ? "" : isRole ? role.title : caller.name
        all["role"] = isRole ? "" : role.title
        all["seesRequests"] = role.seesPersonalData
        all["hasSession"] = hasSession
        all["canFind"] = screen != .session
        all["style"] = PageAssets.style.version
        all["script"] = PageAssets.script.version
        all["icon"] = PageAssets.icon.version
        all["screen"] = screen.rawValue
        all["title"] = all["title"] ?? screen.title
        all["nav"] = Screen.menu(for: role).map { item in
            [
                "path": "\(base)\(item.rawValue)", "title": item.title, "isHere": item == screen,
            ] as PageValues
        }
        if let notice = query["notice"].flatMap(PageNotice.init(rawValue:)) {
            all["notice"] = ["text": notice.sentence] as PageValues
        }
        return PageResponse.html(PageTemplates.shared.render(template, all))
    }

    /// A page that shows a problem.
    ///
    /// - Parameter back: The path of the page on which it arose.
    func page(_ problem: Problem, back: String? = nil) -> Response {
        var response = page(
            "notice", .none,
            [
                "title": "Request failed", "detail": problem.detail, "code": problem.code,
                "back": back ?? "",
            ])
        response.status = problem.status
        return response
    }
}

extension AdminRole {
    var title: String {
        switch self {
        case .admin: "Admin"
        case .operator: "Operator"
        case .viewer: "Viewer"
        }
    }
}

/// The screens, in the order of the menu.
enum Screen: String {
    case now, orders, events, rejections, destinations, providers, journal, audit
    case session
    case none

    static func menu(for role: AdminRole) -> [Screen] {
        [.now, .orders, .events, .rejections, .destinations, .providers, .journal]
            + (role.seesAudit ? [.audit] : [])
    }

    var title: String {
        switch self {
        case .now: "Now"
        case .orders: "Orders"
        case .events: "Events"
        case .rejections: "Rejections"
        case .destinations: "Destinations"
        case .providers: "Providers"
        case .journal: "Journal"
        case .audit: "Audit"
        case .session: "Sign in"
        case .none: "ipnd"
        }
    }
}

/// The result of an act, shown on the next page. The link contains one of these words and no text,
/// so that a link cannot put a sentence on a page.
enum PageNotice: String {
    case paused, resumed, tested, testFailed, retried, nothingToRetry, inquired, inquiredNothing
    case verifying, resolved, corrected, erased, resent, nothingToResend

    var sentence: String {
        switch self {
        case .paused: "Paused. Events wait in the store until you resume it."
        case .resumed: "Resumed."
        case .tested: "The test message was delivered."
        case .testFailed: "The test message was not delivered. See the attempts."
        case .retried: "The deliveries are being retried."
        case .nothingToRetry: "There was nothing to retry."
        case .inquired: "The provider was asked. Its answer is recorded."
        case .inquiredNothing: "The provider was asked and reported nothing new."
        case .resolved: "The review is resolved. The reason is recorded."
        case .corrected: "The expected amount is corrected. The reason is recorded."
        case .erased: "The personal data is erased. The reason is recorded."
        case .resent: "The order's events are being delivered again."
        case .nothingToResend:
            "Nothing was sent: no destination takes these events, or they wait already."
        case .verifying: "The journal is being verified."
        }
    }
}
