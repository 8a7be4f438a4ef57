import { sql } from 'drizzle-orm'
import { LOST, type WorkSet } from '../../../../queues/work/set.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { watchWhatsApp } from '../../../http/deployment.ts'
import { wake } from '../../../wake.ts'
import { storeMessages } from '../plans/compare.ts'
import { refreshGroups } from '../plans/refresh-groups.ts'
import { isMedia } from '../rules/content.ts'
import type { ChatMessage, WhatsAppEvent } from '../rules/events.ts'

/** What the provider of WhatsApp has reported. */
export const whatsappEvents: WorkSet = {
  name: 'whatsapp.receive',
  queue: 'MESSAGES',
  hasItems: true,
  due: [{ table: 'whatsapp_events', due: 'created_at', where: LOST, item: 'id' }],
  run: receiveWhatsApp,
  // The report is kept, and shows that it was not processed.
  dead: (env, workspaceId, id) => end(env, workspaceId, id, 'The report could not be processed, in several tries'),
}

/** Pairings that a look at the provider is due for, and whose own alarm was lost. */
export const whatsappPairings: WorkSet = {
  name: 'whatsapp.watch',
  queue: 'MESSAGES',
  due: [{ table: 'whatsapp_pairings', due: 'due_at', where: "t.due_at < now() - interval '20 seconds'" }],
  run: (env, workspaceId) => watchWhatsApp(env, workspaceId, 'look'),
}

/** Processes what the provider has reported. A repeated message finds it processed; whatever it does can be repeated. */
async function receiveWhatsApp(env: Env, workspaceId: string, id: string): Promise<void> {
  const [event] = (await batch(jobsDatabaseOf(env), [call('load_whatsapp_event', workspaceId, id)])) as [WhatsAppEvent | null]
  if (!event) return
  await process(env, workspaceId, event)
  await end(env, workspaceId, id, null)
  await wake(env, 'events.deliver', workspaceId)
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
      await batch(database, [call('record_whatsapp_receipts', workspaceId, JSON.stringify(event.receipts))])
      return
    case 'deleted': {
      const keys = sql`array(select jsonb_array_elements_text(${JSON.stringify(event.key_ids)}::jsonb))`
      await batch(database, [call('delete_whatsapp_messages', workspaceId, keys)])
      return
    }
    case 'groups':
      return refreshGroups(env, workspaceId, event.jids)
  }
}

async function store(env: Env, workspaceId: string, messages: ChatMessage[]): Promise<void> {
  await storeMessages(env, workspaceId, messages)
  if (messages.some(({ type }) => isMedia(type))) await wake(env, 'media.fetch', workspaceId)
}

/** Changes the texts of messages. One that is not known yet is stored as it is now: the report of it, when it comes, finds it. */
async function edit(env: Env, workspaceId: string, messages: ChatMessage[]): Promise<void> {
  const [unknown] = await batch(jobsDatabaseOf(env), [call('edit_whatsapp_messages', workspaceId, JSON.stringify(messages))])
  const missing = messages.filter(({ key_id }) => (unknown as string[]).includes(key_id))
  if (missing.length > 0) await store(env, workspaceId, missing)
}

async function end(env: Env, workspaceId: string, id: string, error: string | null): Promise<void> {
  await batch(jobsDatabaseOf(env), [call('end_whatsapp_event', workspaceId, id, error)])
}
