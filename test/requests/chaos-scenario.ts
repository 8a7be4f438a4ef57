import type { SentEmail } from '../../dev/email-emulator.ts'
import { reportOf } from '../../dev/email-reports.ts'
import { inboundEmail } from '../../dev/inbound-mail.ts'
import { settled } from '../database.ts'
import type { Harness, Message } from '../harness.ts'
import { LINK, TOKEN } from '../routes/campaigning.ts'
import { created, found, type Row } from '../routes/crm.ts'
import { scheduling } from '../routes/scheduling.ts'
import type { TestWorkspace } from '../workspace.ts'
import { meetingsIn } from './chaos-meetings.ts'
import { phonesIn } from './chaos-phones.ts'

const CITY = { field: 'city', op: 'eq', value: 'Perth' }
const LINES = ['first_name,email,city', 'Ida,ida@example.com,Perth', 'Ivo,not an address,Perth', 'Isa,isa@example.com,Sydney'].join('\n')

/**
 * A workspace with one of everything that works in the background. Returns what people and other systems then do, which leaves work of
 * every kind, and returns the messages that only the cron job sends.
 */
export async function scenarioIn(app: Harness, ws: TestWorkspace, receiver: string): Promise<() => Promise<Message[]>> {
  const contact = (first_name: string, fields: Row = {}) =>
    ws.post('/contacts', { first_name, email: `${first_name}@example.com`, metadata: { tier: 'Gold' }, ...fields }).then(created)
  const [base, other] = [
    await contact('Base', { job_title: 'Buyer', tags: [{ name: 'News' }] }),
    await contact('Other', { job_title: 'Buyer', tags: [{ name: 'News' }], timezone: 'Europe/Berlin' }),
  ]
  const automation = async (trigger: Row, steps: Row[]) => {
    const { id } = created(await ws.post('/automations', { name: `On ${trigger.type}`, trigger, steps }))
    found(await ws.post(`/automations/${id}/publish`))
    return id as string
  }
  const task = (title: string) => ({ type: 'create_task', fields: { title } })
  await automation({ type: 'contact_created' }, [
    task('Call {{ contact.first_name }}'),
    { type: 'add_tags', record: 'contact', tags: ['New'] },
    { type: 'wait', for: { amount: 10, unit: 'minutes' } },
    { type: 'branch', branches: [{ name: 'Perth', if: [{ on: 'contact', filter: CITY }], steps: [task('Visit')] }], else: [task('Write')] },
    { type: 'http_request', method: 'POST', url: `${receiver}/${ws.id}/call`, body: { name: '{{ contact.first_name }}' } },
    { type: 'create_activity', fields: { activity_type: 'note', subject: 'Welcomed' } },
  ])
  const digest = await automation({ type: 'schedule' }, [task('Digest')])
  const schedule = await scheduling(app, ws, digest).schedule({
    audience_type: 'contacts',
    audience_filter: { filter: { field: 'job_title', op: 'eq', value: 'Buyer' } },
    is_active: false,
  })
  created(
    await ws.post('/lists', {
      name: 'Perth',
      object: 'contacts',
      kind: 'live',
      visibility: 'shared',
      tracks_membership: true,
      filter: CITY,
    }),
  )
  await work(app)
  created(await ws.post('/webhooks', { url: `${receiver}/${ws.id}`, event_types: ['contact.*', 'task.created', 'list.*'] }))
  const mapping = { email: 'email', first_name: 'name' }
  const hook = created(await ws.post('/incoming-webhooks', { name: 'Form', action: 'upsert_contact', mapping }))
  const upload = await app.fetch('/v1/imports?object=contacts', {
    method: 'POST',
    headers: { authorization: `Bearer ${ws.apiKey}`, 'content-type': 'text/csv' },
    body: LINES,
  })
  const { id: importId } = ((await upload.json()) as { data: Row }).data
  found(await ws.patch(`/imports/${importId}`, { run_automations: true }))
  created(await ws.post('/email/configs', { from_email_handle: `news-${ws.id}`, from_name: 'Harbour', staff_email: 'team@example.com' }))
  const campaign = async (name: string) =>
    created(await ws.post('/email-campaigns', { name, subject: name, body_html: LINK, segment_filter: { tags: ['News'] } })).id as string
  const [earlier, later] = [await campaign('Earlier'), await campaign('Later')]
  found(await ws.post(`/email-campaigns/${earlier}/send`))
  const inbox = found(await ws.post('/email/inbox/rotate-token'))
  const approver = await ws.key()
  const { approval_id } = (await ws.post('/contacts', { first_name: 'Held', city: 'Perth', require_approval: true })).body
  const knowledge = created(await ws.post('/knowledge-bases', { name: 'Returns' }))
  const { number, phones } = await phonesIn(app, ws, () => work(app))
  const meetings = await meetingsIn(app, ws, number, () => work(app))
  await work(app)

  return async () => {
    found(await ws.patch(`/contacts/${base.id}`, { city: 'Perth' }))
    await contact('Ana', { city: 'Perth' })
    await contact('Bo')
    found(await approver.post(`/approvals/${approval_id}/approve`))
    found(await ws.post(`/imports/${importId}/start`))
    for (const name of ['Eva', 'Finn']) await postJson(app, hook.path, { name, email: `${name}@example.com` })
    found(await ws.post(`/auto-schedules/${schedule.id}/fire-now`))
    created(await ws.post('/custom-fields', { object: 'contact', type: 'text', label: 'Tier', indexed: true }))
    created(await ws.post('/company/users/invite', { email: 'guest@example.com' }))
    await reserveMessage(app, ws, other)
    found(await ws.post(`/email-campaigns/${later}/send`))
    const sent = app.email.sent.find(({ To, Metadata }) => To === base.email && Metadata?.campaign_id === earlier) as SentEmail
    for (const type of ['Open', 'Delivery'] as const) await postJson(app, `/email-events/${TOKEN}`, reportOf(sent, type))
    await postJson(app, inbox.path, inboundEmail({ from: base.email, subject: 'A question', text: 'What does it cost?' }))
    created(await ws.post('/service-requests', { title: 'The export stops', queue: 'platform' }))
    created(await ws.post('/memory', { text: 'Prefers calls before noon' }))
    created(
      await ws.post(`/knowledge-bases/${knowledge.id}/ingest-text`, { title: 'Returns', text: 'You can return goods within 30 days.' }),
    )
    await phones()
    await meetings()
    found(await ws.patch('/company', { timezone: 'Asia/Tokyo' }))
    for (const path of ['/contacts', '/nowhere']) await ws.get(path)
    await app.drain()
    const of = (queue: string, kinds: string[]) => kinds.map((kind) => ({ queue, body: { type: 'work.run', kind, workspace_id: ws.id } }))
    return [
      { queue: 'events', body: { type: 'work.run', kind: 'lists.track', workspace_id: ws.id } },
      { queue: 'messages', body: { type: 'work.run', kind: 'whatsapp.watch', workspace_id: ws.id } },
      { queue: 'messages', body: { type: 'phone.sync', workspace_id: ws.id } },
      ...of('messages', [
        'agents.publish',
        'phone.voice',
        'phone.addresses',
        'phone.bundles',
        'knowledge.copy',
        'leads.dispatch',
        'reviews.ask',
      ]),
      ...of('imports', ['knowledge.index', 'memory.embed', 'service_requests.embed', 'records.delete', 'records.restore']),
      ...of('webhooks', ['agency.clients', 'transcripts.send', 'auto_reply.run', 'service_requests.notify_requester']),
    ]
  }
}

const postJson = (app: Harness, path: string, body: object) =>
  app.fetch(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

/** Lets the background do all that there is to do. */
async function work(app: Harness): Promise<void> {
  for (const step of [() => app.drain(), () => app.cron('* * * * *'), () => app.drain()]) {
    await step()
    await settled(app.owner)
  }
}

/** Reserves an email as the background does. */
async function reserveMessage(app: Harness, ws: TestWorkspace, { id, email }: Row): Promise<void> {
  const message = {
    channel: 'email',
    purpose: 'automation',
    contact_id: id,
    recipient: email,
    subject: 'Offer',
    body_text: 'Hello',
    dedupe_key: 'offer',
  }
  const client = await app.owner.connect()
  await client.query('begin')
  await client.query("select set_config('app.workspace_id', $1, true)", [ws.id])
  await client.query('select reserve_messages($1)', [JSON.stringify([{ id: crypto.randomUUID(), ...message }])])
  await client.query('commit')
  client.release()
}
