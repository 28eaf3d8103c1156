// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

extension PluginRegistry {
    /// Reads which plugins are not run, once the store is open.
    func openQuarantine() {
        quarantine.open { [weak self] in
            // The thread of the requests must not wait for a process or for a load.
            guard let self else { return }
            _ = threads.start { [self] in
                applyQuarantine()
                engine.phase.progressed()
            }
        }
    }

    /// Throws if the content of a plugin is quarantined. Returns the content; nil if nobody has to know
    /// it, or it cannot be computed.
    func checkQuarantine(
        _ manifest: Manifest, _ library: CheckedLibrary?, _ record: PluginRecord
    ) throws(BridgeError) -> String? {
        guard quarantine.isKept || !quarantine.isEmpty else { return nil }
        let content: String
        do throws(BridgeError) {
            content = try PluginContent.digest(manifest, library)
        } catch {
            log(
                .warning, manifest.id, 0,
                "whether it is quarantined cannot be looked up: \(error.message)")
            return nil
        }
        plugins.update { record.content = content }
        guard let entry = quarantine[content] else { return content }
        throw BridgeError(
            .quarantined, .quarantined,
            "the plugin \"\(manifest.id)\" is quarantined, and nothing of it is run: \(entry.reason); install another build of it, or type `curfew release \(manifest.id)`"
        )
    }

    /// Ends what was quarantined meanwhile, and starts what was released.
    private func applyQuarantine() {
        for record in plugins.all {
            let (content, code, status, isQuarantined) = plugins.update {
                (record.content, record.code, record.status, record.isQuarantined)
            }
            guard let content else { continue }
            let entry = quarantine[content]
            switch (status, code, entry) {
            case (.ready, let child as ChildCode, let entry?) where entry.isByHand:
                child.quarantine(by: entry)
            case (.ready, let child as ChildCode, nil): child.release()
            case (.ready, _, let entry?): closeHandlers(of: record, entry)
            case (.ready, _, nil): reopenHandlers(of: record)
            case (.failed, _, nil) where configuration.loadsReleased && isQuarantined:
                plugins.update { record.content = nil }
                guard (try? load(record.directory)) != nil else { continue }
                log(.info, record.id, 0, "it was released from quarantine, and is loaded")
            default: break
            }
        }
    }

    /// The handlers of a plugin that runs in threads: its tasks that run go on, and none is begun.
    private func closeHandlers(of record: PluginRecord, _ entry: QuarantinedPlugin) {
        for handler in engine.handlers.all
        where handler.queue.pointee.plugin == record.number && !handler.isQuarantined {
            engine.quarantine(handler, .quarantinedPlugin(entry.reason))
        }
    }

    private func reopenHandlers(of record: PluginRecord) {
        for handler in engine.handlers.all where handler.queue.pointee.plugin == record.number {
            guard case .quarantinedPlugin = handler.closed else { continue }
            engine.endQuarantine(of: handler)
        }
    }
}
