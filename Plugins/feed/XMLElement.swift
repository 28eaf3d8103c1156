// SPDX-License-Identifier: Apache-2.0
import CXML

/// One element of an ``XMLTree``, valid as long as the tree lives.
struct XMLElement {
    let node: xmlNodePtr

    /// The local name; with the prefix when the document does not declare it.
    var name: String { String(cString: node.pointee.name) }

    var namespace: String {
        node.pointee.ns?.pointee.href.map { String(cString: $0) } ?? ""
    }

    var children: [XMLElement] {
        var children: [XMLElement] = []
        var next = node.pointee.children
        while let node = next {
            if node.pointee.type == XML_ELEMENT_NODE { children.append(XMLElement(node: node)) }
            next = node.pointee.next
        }
        return children
    }

    /// Returns the first child with that name and namespace.
    func child(_ name: String, _ namespace: String) -> XMLElement? {
        children.first { $0.name == name && $0.namespace == namespace }
    }

    /// All text inside, without surrounding white space.
    var text: String {
        guard let content = xmlNodeGetContent(node) else { return "" }
        defer { feed_xml_free(content) }
        return trimmed(String(cString: content))
    }

    func attribute(_ name: String, _ namespace: String? = nil) -> String? {
        let value =
            namespace.map { xmlGetNsProp(node, name, $0) } ?? xmlGetNoNsProp(node, name)
        guard let value else { return nil }
        defer { feed_xml_free(value) }
        return trimmed(String(cString: value))
    }

    /// Resolves a reference against xml:base, or else the document's address. Returns it unchanged
    /// if there is neither, and nil if it is not an address. Spaces and letters of other alphabets
    /// are percent-encoded.
    func resolved(_ reference: String) -> String? {
        guard let escaped = xmlURIEscapeStr(reference, "%/?#[]@!$&'()*+,;=:") else { return nil }
        defer { feed_xml_free(escaped) }
        let base = xmlNodeGetBase(node.pointee.doc, node)
        defer { feed_xml_free(base) }
        guard let address = xmlBuildURI(escaped, base) else { return nil }
        defer { feed_xml_free(address) }
        return String(cString: address)
    }

    private func trimmed(_ text: String) -> String {
        var rest = text[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
