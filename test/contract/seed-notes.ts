import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, operations } from './samples.ts'
import { addKnowledge } from './seed-knowledge.ts'
import { sendSample } from './send.ts'

/** A card and an entry of a knowledge base, of which other paths are the collections, and an earlier content of the notepad. */
export async function addNotes(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const create = operations.find(({ name }) => name === 'POST /training-canvases/:training_canvas_id/cards')
  if (create) ids.training_card_id = (await sendSample(app, ws, create, ids)).body.data.id
  await addKnowledge(app, ws, ids)
  await ws.put(`/notepads/${ids.notepad_id}/content`, { content: '# Kick-off\n\n## Open points\n\n- Keys\n' }, { 'if-match': '*' })
  const versions = (await ws.get(`/notepads/${ids.notepad_id}/versions`)).body.data
  if (versions?.[0]) ids.notepad_version_id = versions[0].id
  await addResponder(app, ws, ids)
}

/** The auto responder of an email config, a reply that it has sent, and the configs for others. */
async function addResponder(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const upsert = operations.find(({ name }) => name === 'POST /auto-responders')
  if (!upsert) return
  const configs: string[] = []
  for (let n = 0; n < 8; n++) {
    const handle = `responder-${crypto.randomUUID().slice(0, 8)}`
    const made = await ws.post('/email/configs', { from_email_handle: handle, from_name: 'Us', staff_email: 'team@example.com' })
    configs.push(made.body.data.id)
  }
  ids.responder_configs = configs.join(' ')
  ids.auto_responder_id = (await sendSample(app, ws, upsert, ids)).body.data.id
  await app.owner.query(
    `insert into auto_replies (workspace_id, auto_responder_id, conversation_id, incoming_id, outcome, ended_at)
      values ($1, $2, $3, uuidv7(), 'sent', now())`,
    [ws.id, ids.auto_responder_id, ids.sms_conversation_id],
  )
}

/** The collection to which a record is added, if it is not the one in its own path. */
const COLLECTIONS: Record<string, string> = {
  '/transcripts': '/transcripts/transcribe',
  '/training-cards': '/training-canvases/:training_canvas_id/cards',
  '/knowledge-entries': '/knowledge-bases/:kb_id/ingest-text',
}
export const collectionOf = (path: string): string => COLLECTIONS[path] ?? path
