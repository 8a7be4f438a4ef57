import type { IncomingMessage, ServerResponse } from 'node:http'
import { readText, reply } from './local-server.ts'

export type Stream = 'outbound' | 'broadcast'
type Reason = 'HardBounce' | 'SpamComplaint' | 'ManualSuppression'
type Suppression = { EmailAddress: string; SuppressionReason: Reason; Origin: 'Recipient' | 'Customer'; CreatedAt: string }

/** The suppressions of Postmark's streams (developer documentation, "Suppressions API"). One of a complaint cannot be deleted. */
export class Suppressions {
  readonly #streams: Record<Stream, Map<string, Suppression>> = { outbound: new Map(), broadcast: new Map() }
  /** Whether the next calls fail. */
  isDown = false

  add(stream: Stream, address: string, SuppressionReason: Reason, CreatedAt = new Date().toISOString()): void {
    this.#streams[stream].set(address, { EmailAddress: address, SuppressionReason, Origin: 'Recipient', CreatedAt })
  }

  has(stream: Stream, address: string): boolean {
    return this.#streams[stream].has(address)
  }

  clear(): void {
    for (const all of Object.values(this.#streams)) all.clear()
    this.isDown = false
  }

  async answer(request: IncomingMessage, response: ServerResponse, stream: Stream): Promise<void> {
    if (this.isDown) return reply(response, 503, { ErrorCode: 503, Message: 'Service unavailable.' })
    const all = this.#streams[stream]
    if (request.method === 'GET') return reply(response, 200, { Suppressions: [...all.values()] })
    const { Suppressions: sent } = JSON.parse(await readText(request)) as { Suppressions: { EmailAddress: string }[] }
    if (sent.length > MOST) return reply(response, 422, { ErrorCode: 300, Message: `A call has at most ${MOST} suppressions.` })
    const done = sent.map(({ EmailAddress }) => {
      if (all.get(EmailAddress)?.SuppressionReason === 'SpamComplaint')
        return { EmailAddress, Status: 'Failed', Message: 'You do not have the required authority to change this suppression.' }
      all.delete(EmailAddress)
      return { EmailAddress, Status: 'Deleted', Message: null }
    })
    reply(response, 200, { Suppressions: done })
  }
}

/** The most suppressions of one call. */
const MOST = 50
const MOST_KEYS = 10
const LONGEST_KEY = 20
const LONGEST_VALUE = 80

/** Why metadata is refused; undefined if it is not. */
export function refusedMetadata(metadata: Record<string, unknown>): string | undefined {
  const entries = Object.entries(metadata)
  if (entries.length > MOST_KEYS) return `Metadata has at most ${MOST_KEYS} fields.`
  const [key] = entries.find(([name]) => name.length > LONGEST_KEY) ?? []
  if (key !== undefined) return `The metadata field name '${key}' is longer than ${LONGEST_KEY} characters.`
  const [wrong] = entries.find(([, value]) => typeof value !== 'string' || value.length > LONGEST_VALUE) ?? []
  return wrong === undefined ? undefined : `The value of the metadata field '${wrong}' is no text of at most ${LONGEST_VALUE} characters.`
}
