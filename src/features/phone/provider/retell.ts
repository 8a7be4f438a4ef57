import * as v from 'valibot'
import type { BoundAgent, VoiceKnowledge, VoiceProvider } from './port.ts'
import { retellAgents } from './retell-agents.ts'
import { type Account, type RetellReply, reasonOf, retellHttp } from './retell-http.ts'
import { retellKnowledge } from './retell-knowledge.ts'

/**
 * `terminationUri`: the SIP address of the trunk through which it calls. `inboundUrl`: what it asks about a call before an agent answers.
 */
export type Options = Account & { terminationUri: string; inboundUrl: string }

const Numbered = v.object({ phone_number: v.string() })

/** What the provider says about a number that it does not have: 422 by its documentation, and 404 in practice. */
const isUnknown = (reply: RetellReply) => reply.status === 404 || (reply.status === 422 && /cannot find/i.test(reasonOf(reply)))

/**
 * A client for Retell (https://docs.retellai.com/api-references/update-phone-number, import-phone-number, and those of retell-agents.ts).
 */
export function retell({ terminationUri, inboundUrl, ...account }: Options): VoiceProvider & { knowledge: VoiceKnowledge } {
  const send = retellHttp(account)

  /** Throws what the provider says for any response but a success, and false where the number may be unknown and is. */
  async function ask(method: 'PATCH' | 'POST', path: string, body: object, mayBeUnknown = false): Promise<boolean> {
    const reply = await send({ method, path, body })
    if (reply.ok) {
      if (v.is(Numbered, reply.body)) return true
      throw new Error('The voice provider answers without a phone number')
    }
    if (mayBeUnknown && isUnknown(reply)) return false
    throw new Error(reasonOf(reply))
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
    ...retellAgents(send),
    knowledge: retellKnowledge(send),
  }
}

/** Agents are weighted lists; null takes them off the number. */
const listOf = (agent: BoundAgent | null) =>
  agent && [{ agent_id: agent.id, ...(agent.version !== null && { agent_version: agent.version }), weight: 1 }]
