import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, operations } from './samples.ts'
import { addAgency } from './seed-agency.ts'
import { addGrowth } from './seed-growth.ts'
import { addNotes } from './seed-notes.ts'
import { sendSample } from './send.ts'

export { collectionOf } from './seed-notes.ts'

/** The unique keys of these tables, which no request can violate. */
export const ORDER_KEYS: Record<string, string> = {
  payment_settings_key: 'a workspace has one account, which every request sets',
  payment_settings_webhook_token_key: 'the token is random',
  form_orders_token_key: 'a form that is sent again returns its order',
  whiteboard_elements_current_key: 'the board is locked, and its elements are compared before more are added',
  whiteboard_scenes_generation_key: 'the board, which counts the generations, is locked',
  training_progress_key: 'a member who sets the progress of a card again changes it',
  order_form_logs_event_key: 'an event of the provider that comes again is not logged again',
}

/** An account at the payment provider, and a form of which something was ordered and paid. */
export async function addOrders(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  await ws.patch('/company/payment-settings', { secret_key: 'sk_test_51SecretOfTheSeed', webhook_secret: 'whsec_SecretOfTheSeed' })
  const form = { name: `Sold ${crypto.randomUUID().slice(0, 8)}`, items: [{ label: 'Inspection', unit_price: 50 }] }
  ids.sold_order_form_id = (await ws.post('/order-forms', form)).body.data.id
  await app.owner.query(
    `with ordered as (insert into form_orders (workspace_id, form_id, form_token, currency, tax, total, lines, contact_id, paid_at)
        values ($1, $2, gen_random_uuid()::text, 'AUD', 0, 50, '[]', $3, now()) returning id)
      insert into order_form_logs (workspace_id, form_id, order_id, event, amount, currency, provider_id, provider_event_id, contact_id)
        select $1, $2, id, 'paid', 50, 'AUD', 'cs_test_1', gen_random_uuid()::text, $3 from ordered`,
    [ws.id, ids.sold_order_form_id, ids.contact_id ?? null],
  )
}

export async function addContents(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  await addFile(app, ws, ids)
  await addVersion(ws, ids)
  await addNotes(app, ws, ids)
  await addGrowth(ws, ids)
  await addAgency(app, ws, ids)
  await addJob(app, ws, ids)
}

/** A file that nothing uses, so that it can be deleted. */
async function addFile(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const upload = operations.find(({ name }) => name === 'POST /files')
  if (upload) ids.idle_file_id = (await sendSample(app, ws, upload, ids)).body.data.id
}

/** A board with a drawing, and a version that it can be reverted to. */
async function addVersion(ws: TestWorkspace, ids: Ids): Promise<void> {
  const path = `/whiteboards/${ids.whiteboard_id}`
  if (!ids.whiteboard_id) return
  for (const type of ['ellipse', 'diamond']) await ws.put(`${path}/content`, { elements: [{ id: 'drawn', type }] })
  ids.whiteboard_version_id = (await ws.get(`${path}/versions`)).body.data[0].id
}

/** A job that has deleted a contact with many dependants. */
async function addJob(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const { rows } = await app.owner.query(
    `insert into deletions (workspace_id, table_name, record_id, total, processed, state, ended_at)
      values ($1, 'contacts', uuidv7(), 12500, 12500, 'completed', now()) returning id`,
    [ws.id],
  )
  ids.job_id = rows[0].id
}
