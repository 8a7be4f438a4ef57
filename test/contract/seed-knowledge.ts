import { randomUUID } from 'node:crypto'
import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, operations } from './samples.ts'
import { sendSample } from './send.ts'

const INGEST = 'POST /knowledge-bases/:kb_id/ingest-text'

/** An entry of a knowledge base, which has a help centre, and an agent with its copy at the voice provider. */
export async function addKnowledge(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const ingest = operations.find(({ name }) => name === INGEST)
  if (ingest) ids.knowledge_entry_id = (await sendSample(app, ws, ingest, ids)).body.data.id
  const evidence = [{ type: 'other', quote: 'What would a deck cost?' }]
  const proposal = { operation_id: 'createContact', body: { first_name: 'Dee' }, reason: 'She asked.', evidence }
  // The latest one may be approved, so it is not the one that is withdrawn.
  ids.agent_proposal_id = (await ws.post('/agent-proposals', proposal)).body.data.id
  await ws.post('/agent-proposals', proposal)
  if (!ids.kb_id) return
  await ws.patch(`/knowledge-bases/${ids.kb_id}`, { help_center_url: app.site.helpCenterUrl })
  if (ids.agent_id) await ws.post(`/knowledge-bases/${ids.kb_id}/attach`, { agent_type: 'voice', agent_id: ids.agent_id })
}

/** Values of the samples of knowledge. */
export const KNOWLEDGE_OVER = {
  'POST /agent-proposals': ({ contact_id }: { contact_id?: string }) => ({
    body: {
      operation_id: 'createTask',
      body: { title: 'Call Ana' },
      evidence: [{ type: 'contact', id: contact_id, quote: 'What would a deck in Oslo cost?' }],
    },
  }),
  // About a contact, and said by the owner of the key.
  'POST /memory': () => ({
    body: { text: `Prefers mornings ${randomUUID()}`, customer_id: undefined, opportunity_id: undefined, source_id: undefined },
  }),
  'POST /memory/search': () => ({ body: { contact_id: undefined, customer_id: undefined, opportunity_id: undefined } }),
  'POST /knowledge-bases/adopt': () => ({ body: { voice_provider_kb_id: `knowledge_base_sample_${randomUUID()}` } }),
  // The help centre of the seed stays.
  'PATCH /knowledge-bases/:kb_id': () => ({ body: { help_center_url: undefined } }),
  'POST /knowledge-bases/:kb_id/sync-help-center': () => ({ body: { article_ids: undefined } }),
  'GET /knowledge-bases': ({ agent_id }: { agent_id?: string }) => ({ query: { agent_type: agent_id && 'voice', agent_id } }),
}
