import { sql } from 'drizzle-orm'
import type { MessageOf } from '../../../../queues/messages.ts'
import { wake } from '../../../../queues/work/run.ts'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { watchWhatsApp } from '../../../http/deployment.ts'
import { mediaFetch } from '../../message-media/work/fetch-media.ts'
import { storeMessages } from '../plans/compare.ts'
import { refreshGroups } from '../plans/refresh-groups.ts'
import { isMedia } from '../rules/content.ts'
import type { ChatMessage, WhatsAppEvent } from '../rules/events.ts'

type Message = MessageOf<'whatsapp.receive'>

/** Processes what the provider has reported. A repeated message finds it processed; whatever it does can be repeated. */
export async function receiveWhatsApp(env: Env, { workspace_id, whatsapp_event_id: id }: Message): Promise<void> {
  const [event] = (await batch(jobsDatabaseOf(env), [sql`select load_whatsapp_event(${workspace_id}::uuid, ${id}::uuid)`])) as [
    WhatsAppEvent | null,
  ]
  if (!event) return
  await process(env, workspace_id, event)
  await batch(jobsDatabaseOf(env), [sql`select end_whatsapp_event(${workspace_id}::uuid, ${id}::uuid, null)`])
  await env.EVENTS.send({ type: 'events.deliver', workspace_id }).catch(() => {})
}

async function process(env: Env, workspaceId: string, event: WhatsAppEvent): Promise<void> {
  const database = jobsDatabaseOf(env)
  switch (event.kind) {
    case 'pairing':
      return watchWhatsApp(env, workspaceId, 'look')
    case 'messages':
      return store(env, workspaceId, event.messages)
    case 'edited':
      return edit(env, workspaceId, event.messages)
    case 'receipts':
      await batch(database, [sql`select record_whatsapp_receipts(${workspaceId}::uuid, ${JSON.stringify(event.receipts)}::jsonb)`])
      return
    case 'deleted': {
      const keys = sql`array(select jsonb_array_elements_text(${JSON.stringify(event.key_ids)}::jsonb))`
      await batch(database, [sql`select delete_whatsapp_messages(${workspaceId}::uuid, ${keys})`])
      return
    }
    case 'groups':
      return refreshGroups(env, workspaceId, event.jids)
  }
}

async function store(env: Env, workspaceId: string, messages: ChatMessage[]): Promise<void> {
  await storeMessages(env, workspaceId, messages)
  // A wake-up that is lost costs a minute.
  if (messages.some(({ type }) => isMedia(type))) await wake(env, mediaFetch, workspaceId).catch(() => {})
}

/** Changes the texts of messages. One that is not known yet is stored as it is now: the report of it, when it comes, finds it. */
async function edit(env: Env, workspaceId: string, messages: ChatMessage[]): Promise<void> {
  const [unknown] = await batch(jobsDatabaseOf(env), [
    sql`select edit_whatsapp_messages(${workspaceId}::uuid, ${JSON.stringify(messages)}::jsonb)`,
  ])
  const missing = messages.filter(({ key_id }) => (unknown as string[]).includes(key_id))
  if (missing.length > 0) await store(env, workspaceId, missing)
}

/** After the last attempt: the report is kept, and shows that it was not processed. */
export async function deadLetterWhatsApp(env: Env, { workspace_id, whatsapp_event_id: id }: Message): Promise<void> {
  const error = 'The report could not be processed, in several tries'
  await batch(jobsDatabaseOf(env), [sql`select end_whatsapp_event(${workspace_id}::uuid, ${id}::uuid, ${error})`])
}
