import * as v from 'valibot'
import { asker, type Options } from './postmark.ts'

/** Postmark's default streams: each has a list of its own. */
const STREAMS = ['outbound', 'broadcast']
/** The most addresses of one call. */
export const MOST_LIFTED = 50
/** The most emails of a search, and the most addresses of a list that are read. */
const MOST_LISTED = 100_000

const Lifted = v.object({
  Suppressions: v.array(v.object({ EmailAddress: v.string(), Status: v.string(), Message: v.optional(v.nullable(v.string())) })),
})
const Listed = v.object({
  Suppressions: v.array(v.object({ EmailAddress: v.string(), SuppressionReason: v.string(), CreatedAt: v.string() })),
})
const Found = v.object({
  Messages: v.array(v.object({ MessageID: v.string(), Metadata: v.optional(v.nullable(v.record(v.string(), v.string()))) })),
})

export type OutsideSuppression = { address: string; reason: string; at: string; stream: string }
/** The email after which an address was suppressed. */
export type LastEmail = { message_id: string; metadata: Record<string, string> }

/** A client for the suppressions of Postmark (developer documentation, "Suppressions API"). Every call throws when there is no response. */
export function postmarkSuppressions({ url, token, timeoutMs = 30_000 }: Options) {
  const ask = asker({ url, token, timeoutMs })
  async function read<Schema extends v.GenericSchema>(schema: Schema, path: string, body?: object): Promise<v.InferOutput<Schema>> {
    const response = await ask(path, body && { method: 'POST', body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`The email provider answers with ${response.status}`)
    return v.parse(schema, await response.json())
  }
  return {
    /**
     * Lifts addresses in every stream. Returns those that the provider keeps, with its reason: it lifts no address whose owner has
     * complained.
     */
    async lift(addresses: string[]): Promise<Map<string, string>> {
      const kept = new Map<string, string>()
      for (const stream of STREAMS) {
        const body = { Suppressions: addresses.map((EmailAddress) => ({ EmailAddress })) }
        const { Suppressions } = await read(Lifted, `/message-streams/${stream}/suppressions/delete`, body)
        for (const { EmailAddress, Status, Message } of Suppressions)
          if (Status === 'Failed') kept.set(EmailAddress.toLowerCase(), Message || 'The mail provider keeps the address suppressed')
      }
      return kept
    },
    /** The addresses that were suppressed since a day. */
    async list(since: Date): Promise<OutsideSuppression[]> {
      const lists: OutsideSuppression[] = []
      for (const stream of STREAMS) {
        const query = new URLSearchParams({ fromdate: since.toISOString().slice(0, 10) })
        const { Suppressions } = await read(Listed, `/message-streams/${stream}/suppressions/dump?${query}`)
        for (const { EmailAddress, SuppressionReason, CreatedAt } of Suppressions)
          lists.push({ address: EmailAddress.toLowerCase(), reason: SuppressionReason, at: CreatedAt, stream })
      }
      return lists.slice(0, MOST_LISTED)
    },
    /** The latest email to an address in a stream. */
    async lastTo(address: string, stream: string): Promise<LastEmail | undefined> {
      const query = new URLSearchParams({ count: '1', offset: '0', recipient: address, messagestream: stream })
      const [found] = (await read(Found, `/messages/outbound?${query}`)).Messages
      return found && { message_id: found.MessageID, metadata: found.Metadata ?? {} }
    },
  }
}
