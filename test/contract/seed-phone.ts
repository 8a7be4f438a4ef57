import type { Harness } from '../harness.ts'
import { ADDRESS } from '../routes/texting.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'
import { numberForSale } from './seed-sms.ts'

export const PHONE_KEYS: Record<string, string> = {
  call_logs_provider_key: 'a call that is known is updated',
  agent_versions_number_key: 'the database numbers the versions of a locked agent',
  agent_tool_keys_key: 'the key of an agent replaces the one before',
}

/** A call with a transcript. */
export async function addCall(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const { rows } = await app.owner.query(
    `insert into call_logs (workspace_id, provider, provider_call_id, direction, status, phone_number, external_phone_number,
        contact_id, voice_agent_config_id,
        started_at, ended_at, duration_seconds, ended_reason, recording_url, transcript_url, transcript, summary,
          sentiment, is_successful, stage)
      values ($1, 'retell', 'call_' || gen_random_uuid(), 'inbound', 'completed', '+61491571570', '+61412345678', $2, $3, now(),
        now(), 84, 'user_hangup',
        'https://example.com/recording.wav', 'https://example.com/call.log', 'Agent: Good morning.',
          'Ana asks for a quote.', 'positive', true, 2) returning id`,
    [ws.id, ids.contact_id ?? null, ids.voice_agent_config_id ?? null],
  )
  ids.call_log_id = rows[0].id
  ids.template_slug = 'receptionist'
  const recorded = await app.owner.query(
    `insert into transcripts (workspace_id, audio_url, contact_id, status, duration_seconds, language, entries, due_at)
      values ($1, 'https://files.example.com/calls/2026-11-20.mp3', $2, 'done', 84.2, 'en',
        '[{"speaker": "Speaker 1", "started_seconds": 0.2, "ended_seconds": 3.1, "text": "Good morning. How can I help you?"}]', null)
          returning id`,
    [ws.id, ids.contact_id ?? null],
  )
  ids.transcript_id = recorded.rows[0].id
  if (!ids.agent_id) return
  await ws.post(`/agents/${ids.agent_id}/publish`)
  ids.agent_number = '1'
}

const unusedAgent = () => `agent_${crypto.randomUUID().replaceAll('-', '')}`

/** Values of the samples of telephony. */
export const PHONE_OVER = {
  'POST /phone/voice-agents': () => ({ body: { name: 'Receptionist', provider_agent_id: unusedAgent() } }),
  'POST /phone/bundles': ({ phone_address_id }: Ids) => ({
    body: { documents: [{ type: 'utility_bill', attributes: {}, ...(phone_address_id && { address_ids: [phone_address_id] }) }] },
  }),
}

/** The path of an address that no bundle names. */
export async function newAddress(ws: TestWorkspace): Promise<string> {
  const { body } = await ws.post('/phone/addresses', ADDRESS)
  return `/phone/addresses/${body.data.id}`
}

/** An address and a bundle that nothing uses. */
export async function addCompliance(ws: TestWorkspace, ids: Ids): Promise<void> {
  ids.idle_phone_address_id = (await newAddress(ws)).slice('/phone/addresses/'.length)
  ids.idle_phone_bundle_id = await newBundle(ws, {})
}
export const COMPLIANCE_OF_CALLS: Record<string, Ids> = {
  'DELETE /phone/addresses/:phone_address_id': { phone_address_id: 'idle_phone_address_id' },
  'DELETE /phone/bundles/:phone_bundle_id': { phone_bundle_id: 'idle_phone_bundle_id' },
}

/** A bundle of its own, which can be submitted once. */
export async function newBundle(ws: TestWorkspace, ids: Ids): Promise<string> {
  const { body } = await ws.post('/phone/bundles', {
    friendly_name: 'Sydney numbers',
    email: 'compliance@example.com',
    country: 'AU',
    number_type: 'local',
    end_user_type: 'business',
    end_user: { business_name: 'Harbour Pty Ltd' },
    documents: [{ type: 'utility_bill', ...(ids.phone_address_id && { address_ids: [ids.phone_address_id] }) }],
  })
  return body.data.id
}

/** A number that is active, for its settings. */
export async function newNumber(ws: TestWorkspace): Promise<string> {
  const { body } = await ws.post('/phone/numbers/buy', { phone_number: numberForSale() })
  return body.data.id
}

const AGENT = { type: 'voice', name: 'Receptionist', prompt: 'You answer the phone.', voice_id: 'retell-Cimo' }
const AUDIO = { audio_url: 'https://files.example.com/calls/2026-11-20.mp3' }
const made = async (ws: TestWorkspace, path: string, body: object): Promise<string> => {
  const answer = await ws.post(path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body.data.id
}
/** Agents and transcripts of their own for the calls that end or change them. */
export const AGENT_CALLS: Record<string, (target: { ws: TestWorkspace }) => Promise<{ path: string }>> = {
  'DELETE /agent-knowledge-bases/:kb_id': async ({ ws }) => ({
    path: `/agent-knowledge-bases/${await made(ws, '/agent-knowledge-bases', { name: 'Hours' })}`,
  }),
  'DELETE /phone/voice-agents/:voice_agent_config_id': async ({ ws }) => ({
    path: `/phone/voice-agents/${await made(ws, '/phone/voice-agents', PHONE_OVER['POST /phone/voice-agents']().body)}`,
  }),
  'DELETE /agents/:agent_id': async ({ ws }) => ({ path: `/agents/${await made(ws, '/agents', AGENT)}` }),
  'POST /agents/:agent_id/publish': async ({ ws }) => ({ path: `/agents/${await made(ws, '/agents', AGENT)}/publish` }),
  'DELETE /transcripts/:transcript_id': async ({ ws }) => ({ path: `/transcripts/${await made(ws, '/transcripts/transcribe', AUDIO)}` }),
}
