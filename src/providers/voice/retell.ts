import * as v from 'valibot'
import type { VoiceProvider } from './port.ts'

/**
 * `url`: https://api.retellai.com, or a service with the same API. `terminationUri`: the SIP address of the trunk through which it calls. `inboundUrl`: what it
 * asks about a call before an agent answers.
 */
export type Options = { url: string; key: string; terminationUri: string; inboundUrl: string; timeoutMs?: number }

const Failure = v.object({ message: v.optional(v.string()) })
const Numbered = v.object({ phone_number: v.string() })

/** Attempts of a request that may be repeated, while the provider is overloaded or unavailable. */
const MAX_ATTEMPTS = 2
/** What the provider says about a number that it does not have: 422 by its documentation, and 404 in practice. */
const isUnknown = (status: number, reply: unknown) => status === 404 || (status === 422 && /cannot find/i.test(reasonOf(status, reply)))

/** A client for the phone numbers of Retell (https://docs.retellai.com/api-references/update-phone-number and import-phone-number). */
export function retell({ url, key, terminationUri, inboundUrl, timeoutMs = 8_000 }: Options): VoiceProvider {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Accept: 'application/json' }
  const send = (method: 'PATCH' | 'POST', path: string, body: object) =>
    fetch(url + path, { method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(timeoutMs) })

  /** Throws what the provider says for any response but a success, and false where the number may be unknown and is. */
  async function ask(method: 'PATCH' | 'POST', path: string, body: object, mayBeUnknown = false): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      const response = await send(method, path, body)
      const reply: unknown = await response.json().catch(() => undefined)
      if (response.ok) {
        if (v.is(Numbered, reply)) return true
        throw new Error('The voice provider answers without a phone number')
      }
      if (mayBeUnknown && isUnknown(response.status, reply)) return false
      const isTemporary = response.status === 429 || response.status >= 500
      if (!isTemporary || attempt >= MAX_ATTEMPTS) throw new Error(reasonOf(response.status, reply))
    }
  }

  return {
    async setAgents({ phone_number, inbound, outbound }) {
      const agents = {
        inbound_agents: listOf(inbound),
        outbound_agents: listOf(outbound),
        inbound_webhook_url: inbound ? inboundUrl : null,
      }
      const isKnown = await ask('PATCH', `/update-phone-number/${encodeURIComponent(phone_number)}`, agents, true)
      if (isKnown || (!inbound && !outbound)) return
      const { inbound_webhook_url, ...rest } = agents
      const form = { phone_number, termination_uri: terminationUri, ...rest, ...(inbound_webhook_url && { inbound_webhook_url }) }
      await ask('POST', '/import-phone-number', form)
    },
  }
}

/** Agents are weighted lists; null takes them off the number. */
const listOf = (agent: string | null) => (agent ? [{ agent_id: agent, weight: 1 }] : null)

function reasonOf(status: number, reply: unknown): string {
  const failure = v.safeParse(Failure, reply)
  return `The voice provider answers with ${status}${failure.success && failure.output.message ? `: ${failure.output.message}` : ''}`
}
