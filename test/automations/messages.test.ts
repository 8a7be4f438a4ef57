import { expect, test } from 'vitest'
import { created, failed, found, held, type Row, refused, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

const crm = useCrm({ ownServer: true })
const { published, runs, steps, elapse, settle } = useAutomations(crm)
let people = 0
const person = (fields: Row = {}) => crm.contact({ email: `reader-${++people}@example.com`, ...fields })
const emailsTo = (address: string): Row[] => crm.app.email.sent.filter(({ To }) => To === address)
const awake = () => crm.ws.patch('/company/crm-settings', { quiet_hours: null })
const EMAIL = {
  type: 'send_email',
  key: 'mail',
  subject: 'Hello {{ contact.first_name }}',
  text: 'Dear {{ contact.first_name }},\nwelcome.',
}
const task = (title: string) => ({ type: 'create_task', fields: { title } })
const automation = (first: Row, ws = crm.ws) => published({ trigger: { type: 'contact_created' }, steps: [first, task('After')] }, ws)

test('an email step sends one message with its templates filled in, and the steps after it know the message', async () => {
  await awake()
  const html = '<p>Hi {{ contact.first_name }}</p>'
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [{ ...EMAIL, html }, task('{{ steps.mail.status }}')] })
  const contact = await person({ first_name: '<b>Ana</b>' })
  const [run] = await runs(id)
  expect(run).toMatchObject({ state: 'completed', error: null })
  const [step, last] = await steps(run?.id)
  expect(step).toMatchObject({ state: 'done', output: { recipient: contact.email, purpose: 'automation', contact_id: contact.id } })
  expect(last).toMatchObject({ input: { title: 'queued' } })
  expect(emailsTo(contact.email)).toMatchObject([
    {
      Subject: 'Hello <b>Ana</b>',
      TextBody: 'Dear <b>Ana</b>,\nwelcome.',
      HtmlBody: '<p>Hi &lt;b&gt;Ana&lt;/b&gt;</p>',
      Tag: 'automation',
      Metadata: { message_id: step?.output.id },
    },
  ])
  await crm.app.deliver('events', Array(3).fill({ type: 'work.run', kind: 'automations.run', workspace_id: crm.ws.id }))
  await settle()
  expect(emailsTo(contact.email)).toHaveLength(1)
  const { rows } = await crm.app.owner.query('select dedupe_key from messages where id = $1', [step?.output.id])
  expect(rows).toEqual([{ dedupe_key: `step:${run?.id}:1` }])
})

test.each<[string, Row, string]>([
  ['has unsubscribed', { email_unsubscribed: true }, 'unsubscribed'],
  ['has no address', { email: null }, 'no_address'],
  ['is suppressed', { email: 'never@example.com' }, 'suppressed'],
])('a contact who %s is skipped with the reason, and the run goes on', async (_, fields, reason) => {
  await awake()
  created(await crm.ws.post('/suppressions', { channel: 'email', address: 'never@example.com' }))
  const { id } = await automation(EMAIL)
  await person(fields)
  const [run] = await runs(id)
  expect(run).toMatchObject({ state: 'completed' })
  expect(await steps(run?.id)).toMatchObject([
    { type: 'send_email', state: 'skipped', error: { code: 'RECIPIENT_UNREACHABLE', details: { reason } } },
    { type: 'create_task', state: 'done' },
  ])
  expect(await crm.count('messages')).toBe(0)
})

test('in quiet hours the run waits until they end, and then sends', async () => {
  const now = new Date()
  const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000).toISOString().slice(11, 16)
  found(await crm.ws.patch('/company', { timezone: 'UTC' }))
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: { from: at(-60), to: at(120) } }))
  const { id } = await automation(EMAIL)
  const contact = await person({ timezone: 'UTC' })
  const [run] = await runs(id)
  expect(run).toMatchObject({ state: 'waiting', moves: 0, error: { code: 'RECIPIENT_UNREACHABLE', details: { reason: 'quiet_hours' } } })
  expect(run?.due_at.slice(11, 16)).toBe(at(120))
  await elapse()
  expect(await runs(id)).toMatchObject([{ state: 'waiting' }])
  expect(emailsTo(contact.email)).toEqual([])
  await awake()
  await elapse()
  expect(await runs(id)).toMatchObject([{ state: 'completed', error: null }])
  expect(emailsTo(contact.email)).toHaveLength(1)
})

test('a channel that is not configured ends the run with the error, or only the step', async () => {
  await awake()
  const sms = { type: 'send_sms', text: 'Hi {{ contact.first_name }}' }
  const [strict, lenient] = [await automation(sms), await automation({ ...sms, type: 'send_whatsapp', on_error: 'continue' })]
  await person({ phone: '+61412345678' })
  expect(await runs(strict.id)).toMatchObject([{ state: 'failed', error: { code: 'CHANNEL_NOT_CONFIGURED' } }])
  const [run] = await runs(lenient.id)
  expect(await steps(run?.id)).toMatchObject([{ state: 'failed', error: { code: 'CHANNEL_NOT_CONFIGURED' } }, { state: 'done' }])
  const isSkipped = [{ on: 'steps', filter: { field: 'mail.failure.details.reason', op: 'eq', value: 'no_address' } }]
  const asks = await published({
    trigger: { type: 'manual' },
    steps: [EMAIL, { type: 'condition', if: isSkipped }, task('Write a letter')],
  })
  const unreachable = await person({ email: null })
  found(await crm.ws.post(`/automations/${asks.id}/start`, { contact_id: unreachable.id }))
  expect((await steps((await runs(asks.id))[0]?.id)).map(({ state }) => state)).toEqual(['skipped', 'done', 'done'])
  const preview = found(await crm.ws.post(`/automations/${asks.id}/start?dry_run=true`, { contact_id: unreachable.id }))
  expect(preview.path.map(({ state }: Row) => state)).toEqual(['skipped', 'done', 'done'])
  expect(await crm.count('messages')).toBe(0)
})

test('a publisher without the scope to send sends nothing; one whose writes need approval sends after it', async () => {
  await awake()
  const weak = await crm.ws.key({ scopes: ['automations:*', 'contacts:*', 'email:read'] })
  const { id } = await automation(EMAIL, weak)
  const contact = await person()
  expect(await runs(id)).toMatchObject([{ state: 'failed', error: { code: 'INSUFFICIENT_SCOPE' } }])
  expect(emailsTo(contact.email)).toEqual([])
  const asking = await automation({ ...EMAIL, require_approval: true })
  const other = await person()
  const [run] = await runs(asking.id)
  expect(run).toMatchObject({ state: 'waiting', awaits: expect.stringMatching(/^approval:/) })
  expect(emailsTo(other.email)).toEqual([])
  const approver = await crm.ws.key()
  found(await approver.post(`/approvals/${String(run?.awaits).replace('approval:', '')}/approve`))
  await settle()
  expect(await runs(asking.id)).toMatchObject([{ state: 'completed' }])
  expect(emailsTo(other.email)).toHaveLength(1)
})

test('POST /messages sends at once and once, and says why it cannot', async () => {
  await awake()
  const contact = await person()
  const body = { contact_id: contact.id, subject: 'Offer', text: 'Hello & welcome' }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const first = created(await crm.ws.post('/messages', body, headers))
  expect(first).toMatchObject({ status: 'queued', purpose: 'request', body_html: 'Hello &amp; welcome' })
  await settle()
  found(await crm.ws.patch(`/contacts/${contact.id}`, { email_unsubscribed: true }))
  expect(created(await crm.ws.post('/messages', body, headers)).id).toBe(first.id)
  expect(await crm.ws.post('/messages', body)).toMatchObject({
    ...failed(409, 'RECIPIENT_UNREACHABLE'),
    body: { error: { details: { reason: 'unsubscribed', next_allowed_at: null } } },
  })
  expect(await crm.ws.post('/messages', { ...body, channel: 'sms', subject: undefined })).toMatchObject(
    failed(409, 'CHANNEL_NOT_CONFIGURED'),
  )
  expect(await crm.ws.post('/messages', { ...body, subject: undefined })).toMatchObject(refused('subject'))
  expect(await crm.ws.post('/messages', { ...body, contact_id: crypto.randomUUID() })).toMatchObject(refused('contact_id'))
  await settle()
  expect(emailsTo(contact.email)).toHaveLength(1)
  const other = await person()
  expect(await crm.ws.post('/messages', { ...body, contact_id: other.id, require_approval: true })).toMatchObject(held)
  created(await crm.ws.post('/messages', { ...body, contact_id: other.id }))
  await settle()
  expect(emailsTo(other.email)).toHaveLength(1)
})

test('a notice reaches each member who is meant once: by id, by role and by assignment', async () => {
  const [owner, named, admin] = [await crm.ws.key(), await crm.ws.key(), await crm.ws.key({ role: 'client_admin' })]
  const notify = { type: 'notify', subject: 'New: {{ contact.first_name }}', text: 'Call {{ contact.first_name }}' }
  const all = await automation({ ...notify, user_ids: [named.userId, owner.userId], role: 'client_admin', assignee_of: 'contact' })
  const mine = await automation({ ...notify, assignee_of: 'contact' })
  const addresses = async (...users: string[]) =>
    (await crm.app.owner.query('select email from users where id = any ($1)', [users])).rows.map(({ email }) => email as string)
  const before = crm.app.email.sent.length
  await person({ assigned_to: owner.userId, first_name: 'Bo' })
  await runs(all.id)
  await settle()
  const sent = crm.app.email.sent.slice(before)
  const [mail] = await addresses(owner.userId)
  const recipients = [...(await addresses(owner.userId, named.userId, admin.userId, crm.ws.userId)), mail]
  expect(sent.map(({ To }) => To).toSorted()).toEqual(recipients.toSorted())
  expect(sent[0]).toMatchObject({ Subject: 'New: Bo', TextBody: 'Call Bo', Tag: 'notice' })
  await person({ assigned_to: null })
  const [, run] = await runs(mine.id)
  expect(await steps(run?.id)).toMatchObject([{ state: 'skipped', error: { details: { reason: 'no_recipient' } } }, { state: 'done' }])
  const stranger = crypto.randomUUID()
  expect(await crm.ws.post('/messages/notify', { user_ids: [stranger], subject: 'A', text: 'B' })).toMatchObject(refused('user_ids.0'))
  expect(await crm.ws.post('/messages/notify', { role: 'no_such', subject: 'A', text: 'B' })).toMatchObject(refused('role'))
  const valid = found(await crm.ws.post('/automations/validate', { name: 'A', trigger: { type: 'manual' }, steps: [notify] }))
  expect(valid).toMatchObject({ valid: false, issues: [{ path: 'steps.0.user_ids' }] })
})

test('the first failure of an automation notifies by email, and the next one after a success or a day', async () => {
  await awake()
  const addresses = ['ops@example.com', 'owner@example.com']
  found(await crm.ws.patch('/company/crm-settings', { automation_error_notify_emails: addresses }))
  const fails = { type: 'move_stage', stage_id: '{{ trigger.data.stage }}', record_id: '{{ trigger.data.deal }}' }
  const test = { on: 'trigger', filter: { field: 'data.fail', op: 'eq', value: true } }
  const branch = { type: 'branch', branches: [{ if: [test], steps: [fails] }] }
  const { id, name } = await published({ trigger: { type: 'manual' }, steps: [branch] })
  const other = await published({ trigger: { type: 'manual' }, steps: [branch] })
  const start = async (fail: boolean, automation = id) => {
    const data = { fail, stage: 'none', deal: crypto.randomUUID() }
    found(await crm.ws.post(`/automations/${automation}/start`, { data }))
    return runs(automation)
  }
  const mails = () => crm.app.email.sent.filter(({ Tag, Metadata }) => Tag === 'automation_error' && Metadata?.workspace_id === crm.ws.id)
  const [run] = await start(true)
  expect(
    mails()
      .map(({ To }) => To)
      .toSorted(),
  ).toEqual(addresses)
  expect(mails()[0]).toMatchObject({
    Subject: `The automation "${name}" failed`,
    TextBody: expect.stringContaining(`/automation-runs/${run?.id}`),
  })
  await start(true)
  await Promise.all(Array.from({ length: 4 }, () => crm.ws.post(`/automations/${id}/start`, { data: { fail: true } })))
  await settle()
  expect(mails()).toHaveLength(2)
  await start(true, other.id)
  expect(mails()).toHaveLength(4)
  await start(false)
  await start(true)
  expect(mails()).toHaveLength(6)
  await crm.app.owner.query("update automation_incidents set opened_at = now() - interval '25 hours' where workspace_id = $1", [crm.ws.id])
  await start(true)
  expect(mails()).toHaveLength(8)
  expect((found(await crm.ws.get('/messages?purpose=automation_error')) as Row[])[0]).toMatchObject({ status: 'sent', contact_id: null })
})
