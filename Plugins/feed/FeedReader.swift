// SPDX-License-Identifier: Apache-2.0
import CXML

/// Finds the items of a document, RSS or Atom of any version.
struct FeedReader {
    /// The items in the order of the document, each id once.
    private(set) var items: [FeedItem] = []
    /// The number of items that repeat an earlier id.
    private(set) var repeated = 0
    /// The place where the document stops being XML, or nil.
    let fault: String?

    static var itemLimit: Int { 50_000 }
    /// The most bytes of a title that are parsed as HTML.
    private static var titleSourceLimit: Int { 16_384 }

    private static let atom = ["http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"]
    private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    private static let dublinCore = "http://purl.org/dc/elements/1.1/"
    private static let content = "http://purl.org/rss/1.0/modules/content/"

    /// - Parameter stopIfTold: throws when the task has to stop; called for every item.
    init(_ document: FeedDocument, _ stopIfTold: () throws -> Void) throws {
        let text = try FeedText.utf8(of: document)
        let tree = try XMLTree(try FeedMarkup.mended(text), address: document.address)
        fault = tree.fault
        guard let root = tree.root else {
            throw FeedProblem("the document is no XML: \(tree.fault ?? "it has no element")")
        }
        var found: [XMLElement] = []
        switch root.name {
        case "feed":
            found = root.children.filter { $0.name == "entry" }
        case "rss", "RDF":
            // RSS 1.0 has them beside the channel, the others inside.
            for child in root.children {
                if child.name == "item" { found.append(child) }
                if child.name == "channel" { found += child.children.filter { $0.name == "item" } }
            }
        default:
            throw FeedProblem(
                "the document is no feed: its root element is <\(root.name.cut(to: 40))>")
        }
        // The item at or before the fault may be incomplete.
        if !tree.isComplete { found = found.dropLast() }
        guard found.count <= FeedReader.itemLimit else {
            throw FeedProblem("the feed has more than \(FeedReader.itemLimit) items")
        }
        var ids: Set<String> = []
        for element in found {
            try stopIfTold()
            let item =
                FeedReader.atom.contains(element.namespace)
                ? FeedReader.entry(element) : FeedReader.item(element)
            guard let item else { continue }
            if ids.insert(item.id).inserted { items.append(item) } else { repeated += 1 }
        }
    }

    // MARK: RSS

    private static func item(_ element: XMLElement) -> FeedItem? {
        let space = element.namespace
        func text(_ name: String) -> String { element.child(name, space)?.text ?? "" }
        let guid = element.child("guid", space)
        let about = element.attribute("about", rdf) ?? ""
        var link = address(text("link"), element.child("link", space) ?? element)
        if link.isEmpty, let guid, guid.attribute("isPermaLink") != "false" {
            link = address(guid.text, guid)
        }
        // Some RSS feeds use Atom's links.
        if link.isEmpty { link = alternate(element, in: atom[0]) }
        let date = text("pubDate")
        let more = element.child("encoded", content)?.text ?? ""
        return make(
            ids: [guid?.text ?? "", about], title: plain(text("title")), link: link,
            published: date.isEmpty ? element.child("date", dublinCore)?.text ?? "" : date,
            summary: more.isEmpty ? text("description") : more)
    }

    // MARK: Atom

    private static func entry(_ element: XMLElement) -> FeedItem? {
        let space = element.namespace
        func text(_ names: String...) -> String {
            names.lazy.compactMap { element.child($0, space)?.text }.first { !$0.isEmpty } ?? ""
        }
        var title = text("title")
        if element.child("title", space)?.attribute("type")?.contains("html") == true {
            title = plain(title)
        }
        return make(
            ids: [text("id")], title: line(title), link: alternate(element, in: space),
            published: text("published", "issued", "updated", "modified"),
            summary: text("content", "summary"))
    }

    private static func alternate(_ element: XMLElement, in space: String) -> String {
        let links = element.children.filter { $0.name == "link" && $0.namespace == space }
        let link = links.first { ($0.attribute("rel") ?? "alternate") == "alternate" }
        return link.flatMap { link in link.attribute("href").map { address($0, link) } } ?? ""
    }

    // MARK: Texts

    /// Returns an item, or nil if it is empty.
    private static func make(
        ids: [String], title: String, link: String, published: String, summary: String
    ) -> FeedItem? {
        var ids = ids + [link]
        if !(title + published).isEmpty { ids.append("\(title) \(published)") }
        guard let id = (ids + [summary]).first(where: { !$0.isEmpty }) else { return nil }
        return FeedItem(
            id: id.cut(to: FeedItem.idLimit), title: title.cut(to: FeedItem.titleLimit),
            link: link, published: line(published).cut(to: FeedItem.dateLimit),
            summary: summary.cut(to: FeedItem.summaryLimit))
    }

    /// Returns an absolute address of http or https, or an empty text for any other scheme.
    private static func address(_ reference: String, _ element: XMLElement) -> String {
        guard !reference.isEmpty, reference.utf8.count <= FeedItem.linkLimit else { return "" }
        guard let address = element.resolved(line(reference)) else { return "" }
        let start = address.prefix(8).lowercased()
        return start.hasPrefix("http://") || start == "https://" ? address : ""
    }

    /// Returns the text in one line.
    private static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for word in text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace) {
            if !line.isEmpty { line.append(" ") }
            line.append(contentsOf: word)
        }
        return String(line)
    }

    /// Returns the plain text of a value that may be HTML; RSS does not say which it is.
    private static func plain(_ text: String) -> String {
        let looksLikeHTML = /<[A-Za-z\/!]|&(#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);/
        let text = text.cut(to: titleSourceLimit)
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }),
            text.firstMatch(of: looksLikeHTML) != nil
        else { return line(text) }
        let options = [
            HTML_PARSE_RECOVER, HTML_PARSE_NOERROR, HTML_PARSE_NOWARNING, HTML_PARSE_NONET,
        ]
        guard
            let page = htmlReadDoc(
                text, nil, "UTF-8", Int32(options.reduce(0) { $0 | $1.rawValue }))
        else { return line(text) }
        defer { xmlFreeDoc(page) }
        guard let root = xmlDocGetRootElement(page) else { return "" }
        return line(XMLElement(node: root).text)
    }
}
