// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues
import Foundation

/// The way from the host's launches to the delegate, and back.
enum FetchHandler {
    private struct Entry {
        weak var fetch: Fetch?
    }

    private static let running = Locked<[curfew_task: Entry]>([:])

    /// Registers it with the host, which keeps it for the life of the process.
    static func register(_ identifier: String) throws(AppRegistryFailure) {
        let answer = identifier.withCString { name -> Result<Void, AppRegistryFailure> in
            var handler = curfew_handler()
            handler.struct_size = UInt32(MemoryLayout<curfew_handler>.size)
            handler.identifier = name
            handler.run = { _, api, task, _ in
                FetchHandler.launch(task, api)
                return curfew_status(CURFEW_PENDING)
            }
            handler.expired = { _, _, task, _ in FetchHandler.expire(task) }
            return Result { () throws(AppRegistryFailure) in
                try AppHost.shared.registry.register(
                    handler, kind: Int32(CURFEW_KIND_APP_REFRESH))
            }
        }
        try answer.get()
    }

    private static func launch(_ task: curfew_task, _ api: UnsafePointer<curfew_host_api>) {
        let fetch = Fetch(task, api)
        running.withLock { $0[task] = Entry(fetch: fetch) }
        // One request is one fetch.
        UIApplication.shared.fetches.submit(keepsPending: false)
        DispatchQueue.main.async {
            let application = UIApplication.shared
            guard let delegate = application.delegate else {
                fetch.complete(.noData)
                return
            }
            delegate.application(
                application, performFetchWithCompletionHandler: { fetch.complete($0) })
        }
    }

    private static func expire(_ task: curfew_task) {
        running.withLock { $0[task]?.fetch }?.expire()
    }

    static func forget(_ task: curfew_task) { running.withLock { $0[task] = nil } }
}
