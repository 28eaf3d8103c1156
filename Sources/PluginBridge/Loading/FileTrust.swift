// SPDX-License-Identifier: Apache-2.0

/// Decides whether an untrusted user could have changed a file that is loaded. Trusted are root and
/// the user of the host.
///
/// Two kinds of write permission for others do no harm:
///
/// - A parent directory may be writable for all when it is sticky, like `/tmp`: there only the
///   owner of an entry can rename or remove it, and the next component's owner is checked too. The
///   plugin's own directory may not, since any user could create a missing file there.
/// - The group may write when it is the owner's alone, as where every user has a group of the same
///   name and a umask of 002: the permission says nothing then. With an access control list it
///   does, since the bits of the group stand for everyone in the list.
struct FileTrust: Sendable {
    /// The effective user of the host.
    let user: UInt32
    /// Returns the overflow user, which stands for every user outside of this user namespace
    /// (user_namespaces(7)), root included. Its files are trusted only as parent directories and
    /// links, whose next component is checked as well, and below `/usr`, where only root can create
    /// files. It is read only if a file belongs to an untrusted user.
    private let outsiders: @Sendable () -> UInt32?
    /// Returns whether the user is the only member of a group.
    private let isPrivate: @Sendable (_ group: UInt32, _ owner: UInt32) -> Bool

    init(
        user: UInt32, outsiders: @escaping @autoclosure @Sendable () -> UInt32?,
        isPrivate: @escaping @Sendable (_ group: UInt32, _ owner: UInt32) -> Bool
    ) {
        self.user = user
        self.outsiders = outsiders
        self.isPrivate = isPrivate
    }

    /// Whether a file is beyond doubt without another look at the system, as nearly all are: what
    /// is not may be trusted all the same.
    func isPlain(owner: UInt32, mode: UInt32, as role: FileFacts.Role) -> Bool {
        guard owner == 0 || owner == user else { return false }
        return mode & 0o022 == 0 || role == .link || role == .passage && mode & 0o1000 != 0
    }

    /// Why a file cannot be trusted, and the command that mends it; nil when it can.
    func fault(of file: FileFacts, as role: FileFacts.Role) -> (rule: LoadRule, text: String)? {
        if isPlain(owner: file.owner, mode: file.mode, as: role) { return nil }
        let path = FileTrust.word(file.path)
        let mode = "mode \(FileTrust.octal(file.mode)), uid \(file.owner), gid \(file.group)"
        guard
            file.owner == 0 || file.owner == user
                || FileTrust.mayBeOutsiders(file, role) && file.owner == outsiders()
        else {
            let trusted = user == 0 ? "root" : "root or uid \(user), which this host runs as"
            let option = role == .link ? "-h " : ""
            return (
                .owner,
                "\(file.path) belongs to another user than \(trusted) (\(mode)): chown \(option)\(user) \(path)"
            )
        }
        if role == .link { return nil }
        if role == .passage, file.mode & 0o1000 != 0 { return nil }
        let everyone = file.mode & 0o002 != 0
        var group = file.mode & 0o020 != 0
        if group, !file.hasAccessList, isPrivate(file.group, file.owner) { group = false }
        guard everyone || group else { return nil }
        if group, !everyone, file.hasAccessList {
            return (
                .writable,
                "\(file.path) can be changed by those its access control list names (\(mode)): setfacl -b \(path) && chmod g-w \(path)"
            )
        }
        let who = everyone ? "everyone" : "its group"
        let bits = everyone ? group ? "go-w" : "o-w" : "g-w"
        return (
            .writable,
            "\(file.path) can be changed by \(who) (\(mode)): chmod \(bits) \(path)"
        )
    }

    private static func mayBeOutsiders(_ file: FileFacts, _ role: FileFacts.Role) -> Bool {
        switch role {
        case .passage, .link: true
        case .folder, .file: PathText.hasPrefix(file.path, "/usr/")
        }
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// The path as a shell takes it for one word.
    private static func word(_ path: String) -> String {
        let plain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), 0x80...:
                true
            default: false
            }
        }
        if plain { return path }
        // Compare scalars: for Swift an apostrophe with a combining mark is another character.
        return "'" + path.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
    }
}
