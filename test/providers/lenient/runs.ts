import type { DnsEmulator } from '../../../dev/dns-emulator.ts'
import type { Emulators } from '../../emulators.ts'

export type AllEmulators = Emulators & { dns: DnsEmulator }

/** What the calls before have returned, by their names. */
// biome-ignore lint/suspicious/noExplicitAny: results of every client
export type Done = Record<string, any>

/** The clients of a provider, and one call after the other of each of their methods. */
export type Run = {
  clients(at: (address: string) => string, emulator: never): Record<string, object>
  calls: Record<string, (clients: never, emulator: never, done: Done) => Promise<unknown>>
  /** Calls of which nothing but the status is needed. */
  bodiless: readonly string[]
}

export const run = <Name extends keyof AllEmulators, Clients extends Record<string, object>>(
  _name: Name,
  clients: (at: (address: string) => string, emulator: AllEmulators[Name]) => Clients,
  calls: Record<string, (clients: Clients, emulator: AllEmulators[Name], done: Done) => Promise<unknown>>,
  bodiless: readonly string[] = [],
): Run => ({ clients, calls, bodiless })

export const TIMEOUT = { timeoutMs: 20_000 }
