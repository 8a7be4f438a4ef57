import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Response, type V4MiniflareOptions } from 'miniflare'
import { inject } from 'vitest'
import type { StartOptions } from './harness.ts'

/** What Miniflare starts the bundled Worker with; `logs` gets what the Worker and its runtime log. */
export function runtimeOptions(
  vars: Record<string, string>,
  { unreachable, inspected, docs, bundle = inject('bundle') }: StartOptions,
  logs: string[],
) {
  const options = structuredClone(inject('workerOptions'))
  // Messages come at once, alone or together, however often they are retried.
  for (const consumer of Object.values(options.queueConsumers ?? {})) Object.assign(consumer, { maxBatchTimeout: 0, retryDelay: 0 })
  if (!docs) {
    delete options.assets
    options.serviceBindings = { ASSETS: () => new Response(null, { status: 404 }) }
  }
  if (unreachable) delete (options.queueProducers as Record<string, unknown>)[unreachable]

  class LogList extends Log {
    override logWithLevel(_level: LogLevel, message: string) {
      logs.push(message)
    }
  }
  return convertV4MiniflareOptions({
    // No look-up of request properties on the internet.
    cf: false,
    ...(inspected && { inspectorPort: 0 }),
    log: new LogList(LogLevel.INFO),
    handleStructuredLogs: ({ message }: { message: string }) => logs.push(message),
    workers: [
      {
        ...options,
        bindings: { ...(options.bindings as object), ...vars },
        modules: [{ type: 'ESModule', path: join(bundle, 'worker.js') }],
        modulesRoot: bundle,
        // Requests of tests come straight to the Worker, and not through Miniflare's own one.
        unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      },
    ],
  } as V4MiniflareOptions)
}
