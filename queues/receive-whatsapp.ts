import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { isMedia, type WhatsAppEvent } from '../src/domain/whatsapp/events.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { watchWhatsApp } from '../src/http/deployment.ts'
import { storeMessages } from '../src/services/whatsapp/compare.ts'
import { refreshGroups } from '../src/services/whatsapp/refresh-groups.ts'
import { mediaFetch } from './kinds/fetch-media.ts'
import type { MessageOf } from './messages.ts'
import { wake } from './work/run.ts'

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
      await storeMessages(env, workspaceId, event.messages)
      // A wake-up that is lost costs a minute.
      if (event.messages.some(({ type }) => isMedia(type))) await wake(env, mediaFetch, workspaceId).catch(() => {})
      return
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

/** After the last attempt: the report is kept, and shows that it was not processed. */
export async function deadLetterWhatsApp(env: Env, { workspace_id, whatsapp_event_id: id }: Message): Promise<void> {
  const error = 'The report could not be processed, in several tries'
  await batch(jobsDatabaseOf(env), [sql`select end_whatsapp_event(${workspace_id}::uuid, ${id}::uuid, ${error})`])
}
