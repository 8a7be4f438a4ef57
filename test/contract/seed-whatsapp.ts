import { tokenHash } from '../../src/features/webhooks/plans/incoming.ts'
import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'

/** The unique keys of these tables, which no request can violate. */
export const WHATSAPP_KEYS: Record<string, string> = {
  whatsapp_conversations_lid_key: 'messages find the conversation that exists',
  whatsapp_conversations_number_key: 'messages find the conversation that exists',
  whatsapp_groups_jid_key: 'a group that exists is updated',
  whatsapp_messages_conversation_key: 'a message that came before is not stored again',
  whatsapp_messages_group_key: 'a message that came before is not stored again',
  whatsapp_reactions_key: 'a later reaction replaces it',
  whatsapp_reads_key: 'what is marked later is added to it',
  whatsapp_pairings_key: 'a pairing that is in progress is used',
  whatsapp_pairings_token: 'random',
}

/** The functions for WhatsApp, as JOBS of the test of roles. */
export const WHATSAPP_JOBS = [
  'delete_whatsapp_messages',
  'end_whatsapp_event',
  'forget_whatsapp_pairing',
  'leave_whatsapp_group',
  'load_whatsapp_event',
  'load_whatsapp_pairing',
  'receive_whatsapp_messages',
  'record_whatsapp_receipts',
  'save_whatsapp_pairing',
  'set_whatsapp_token',
  'store_whatsapp_groups',
  'unknown_whatsapp_keys',
]

/** A pairing whose connection nobody has at the provider, and its token. */
export async function pairInDatabase(app: Harness, workspaceId: string): Promise<string> {
  const token = crypto.randomUUID()
  await app.owner.query(
    `insert into whatsapp_pairings (workspace_id, instance_name, status, phone_number, connected_at, due_at,
      token_hash, sealed_token, qr_image)
      values ($1::uuid, 'crm-' || $1, 'connected', '+61400000001', now(), now() + interval '1 day', decode($2, 'hex'),
        'sealed ' || gen_random_uuid(),
        'image ' || gen_random_uuid())
      on conflict (workspace_id) do update set status = 'connected', token_hash = excluded.token_hash`,
    [workspaceId, await tokenHash(token)],
  )
  await app.owner.query("select grant_credits($1, 100000, 'samples')", [workspaceId])
  return token
}

/** A pairing, a group and a conversation with messages. */
export async function addWhatsApp(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  ids.whatsapp_token = await pairInDatabase(app, ws.id)
  const { rows } = await app.owner.query(
    `insert into whatsapp_groups (workspace_id, jid, name, members, member_count)
      values ($1, (select (120363000000000001 + count(*))::text || '@g.us' from whatsapp_groups where workspace_id = $1),
        '12 Bridge Street', '[{"phone_number": "+61400000001", "lid": null, "role": "owner"}]', 1) returning id`,
    [ws.id],
  )
  ids.group_id = rows[0].id
  const sent = await ws.post('/whatsapp/send', { to_phone: '+61412345678', text: 'Hello Ana' })
  if (sent.status !== 201) throw new Error(JSON.stringify(sent.body))
  ids.conversation_id = sent.body.data.conversation_id
  const received = await app.owner.query(
    `insert into whatsapp_messages (workspace_id, conversation_id, direction, key_id, sender_phone, body_text, status)
      values ($1, $2, 'inbound', 'KEY' || gen_random_uuid(), '+61412345678', 'Hello', 'delivered') returning id`,
    [ws.id, ids.conversation_id],
  )
  ids.whatsapp_message_id = received.rows[0].id
}
