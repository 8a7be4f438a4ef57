import { afterAll, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { created, found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

/** What ends the wait of a run for an event. */

const receiver = await startWebhookReceiver()
afterAll(() => receiver.close())
const crm = useCrm({ ownServer: true, vars: { LOCAL_RECEIVERS: receiver.host } })
const { published, runs, steps, settle } = useAutomations(crm)
const task = (title: string) => ({ type: 'create_task', fields: { title } })
const timeout = { amount: 30, unit: 'days' }
const waitFor = (event: Row, key = 'reply') => ({ type: 'wait', key, event: { ...event, timeout } })
const ENDED = task('{{ steps.reply.ended }} {{ steps.reply.event.type }} {{ steps.reply.event.payload.title }}')
const titlesOf = async (run: Row) => (await steps(run.id)).filter(({ type }) => type === 'create_task').map(({ input }) => input.title)
const runOf = async (automation: string): Promise<Row> => (await runs(automation))[0] as Row

test('an event of any record of the run ends the wait, and no event of another record', async () => {
  const company = created(await crm.ws.post('/companies', { name: 'Own' }))
  const [contact, stranger] = [await crm.contact({ customer_id: company.id }), await crm.contact()]
  const deal = await crm.opportunity({ customer_id: company.id, contacts: [{ contact_id: contact.id, is_primary: true }] })
  const events: [string, () => Promise<unknown>][] = [
    ['contact.updated', () => crm.ws.patch(`/contacts/${contact.id}`, { city: 'Perth' })],
    ['company.updated', () => crm.ws.patch(`/companies/${company.id}`, { city: 'Perth' })],
    ['opportunity.updated', () => crm.ws.patch(`/opportunities/${deal.id}`, { notes: 'New' })],
    ['task.created', () => crm.ws.post('/tasks', { title: 'Own', contact_id: contact.id })],
    ['activity.created', () => crm.ws.post('/activities', { activity_type: 'note', subject: 'N', contact_ids: [stranger.id, contact.id] })],
  ]
  const waiting: string[] = []
  for (const [type] of events) {
    const { id } = await published({ trigger: { type: 'manual' }, steps: [waitFor({ type })] })
    found(await crm.ws.post(`/automations/${id}/start`, { opportunity_id: deal.id }))
    waiting.push(id)
  }
  await settle()
  await crm.ws.patch(`/contacts/${stranger.id}`, { city: 'Perth' })
  created(await crm.ws.post('/tasks', { title: 'Other', contact_id: stranger.id }))
  await crm.opportunity()
  for (const id of waiting)
    expect(await runOf(id)).toMatchObject({
      state: 'waiting',
      contact_id: contact.id,
      customer_id: company.id,
      opportunity_id: deal.id,
      awaits: expect.any(String),
      due_at: expect.stringMatching(new RegExp(`^${new Date(Date.now() + 30 * 86_400_000).getUTCFullYear()}-`)),
    })
  for (const [, happen] of events) expect(await happen()).toMatchObject({ status: expect.toBeOneOf([200, 201]) })
  for (const id of waiting) expect(await runOf(id)).toMatchObject({ state: 'completed' })
})

test('of several types the first event that meets the condition ends the wait; what does not meet it changes nothing', async () => {
  const event = {
    types: ['task.created', 'contact.*'],
    where: {
      any: [
        { field: 'payload.title', op: 'eq', value: '{{ contact.city }}' },
        { field: 'payload.city', op: 'changed_to', value: 'Hobart' },
      ],
    },
  }
  const { id } = await published({ trigger: { type: 'manual' }, steps: [waitFor(event), ENDED] })
  const contact = await crm.contact({ city: 'Perth' })
  const [first, second] = await Promise.all(
    [0, 1].map(async () => found(await crm.ws.post(`/automations/${id}/start`, { contact_id: contact.id })).run_id),
  )
  for (const title of ['Wrong', 'Other']) {
    created(await crm.ws.post('/tasks', { title, contact_id: contact.id }))
    expect(await runOf(id)).toMatchObject({ state: 'waiting', moves: 1 })
  }
  created(await crm.ws.post('/tasks', { title: 'Perth', contact_id: contact.id }))
  for (const run of [first, second]) {
    await settle()
    expect(await titlesOf({ id: run })).toEqual(['event task.created Perth'])
  }
  const later = found(await crm.ws.post(`/automations/${id}/start`, { contact_id: contact.id }))
  await settle()
  await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Hobart' })
  await settle()
  expect(await titlesOf({ id: later.run_id })).toEqual(['event contact.updated '])
})

test('an event that came after the step before the wait ends it; one from before that step, or of the run itself, does not', async () => {
  const path = '/slow'
  receiver.behaviours.set(path, 503)
  const { id } = await published({
    trigger: { type: 'manual' },
    steps: [
      { type: 'update_contact', fields: { city: 'Own' } },
      { type: 'http_request', method: 'POST', url: `${receiver.url}${path}` },
      waitFor({ type: 'contact.updated' }),
      task('{{ steps.reply.event.payload.city }}'),
      waitFor({ type: 'contact.updated' }, 'second'),
      task('{{ steps.second.event.payload.city }}'),
    ],
  })
  const contact = await crm.contact({ city: 'Before' })
  found(await crm.ws.post(`/automations/${id}/start`, { contact_id: contact.id }))
  expect(await runOf(id)).toMatchObject({ state: 'waiting', awaits: expect.stringMatching(/^outgoing:/) })
  // What not every member sees ends no wait.
  await crm.app.owner.query("select set_config('app.workspace_id', $1, true), emit('contact.updated', 'contact', $2, $3, $4)", [
    crm.ws.id,
    contact.id,
    { id: contact.id, city: 'Private' },
    crm.ws.userId,
  ])
  // The follower has passed this event when the wait begins.
  await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Meanwhile' })
  await settle()
  receiver.behaviours.set(path, 200)
  await crm.app.owner.query('update outgoing_requests set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
  await crm.app.cron('* * * * *')
  const run = await runOf(id)
  expect(await titlesOf(run)).toEqual(['Meanwhile'])
  // One event ends one wait.
  expect(run).toMatchObject({ state: 'waiting', awaits: `contact.updated:${contact.id}` })
  await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Later' })
  await settle()
  expect(await titlesOf(run)).toEqual(['Meanwhile', 'Later'])
})

test('a wait goes on after a merge of its record', async () => {
  const { id } = await published({ trigger: { type: 'manual' }, steps: [waitFor({ type: 'task.created' })] })
  const [winner, loser] = [await crm.contact({ first_name: 'W' }), await crm.contact({ first_name: 'L' })]
  found(await crm.ws.post(`/automations/${id}/start`, { contact_id: loser.id }))
  await settle()
  found(await crm.ws.post('/contacts/merge', { winner_id: winner.id, loser_ids: [loser.id] }))
  expect(await runOf(id)).toMatchObject({ state: 'waiting', contact_id: winner.id })
  created(await crm.ws.post('/tasks', { title: 'X', contact_id: winner.id }))
  expect(await runOf(id)).toMatchObject({ state: 'completed' })
})

test('events that come while the automation is paused end the wait when it is resumed', async () => {
  const { id } = await published({ trigger: { type: 'manual' }, steps: [waitFor({ type: 'task.created' }), ENDED] })
  const contact = await crm.contact()
  found(await crm.ws.post(`/automations/${id}/start`, { contact_id: contact.id }))
  await settle()
  found(await crm.ws.post(`/automations/${id}/pause`))
  created(await crm.ws.post('/tasks', { title: 'Meanwhile', contact_id: contact.id }))
  expect(await runOf(id)).toMatchObject({ state: 'waiting' })
  found(await crm.ws.post(`/automations/${id}/resume`))
  await crm.app.cron('* * * * *')
  const run = await runOf(id)
  expect(await titlesOf(run)).toEqual(['event task.created Meanwhile'])
})

test('events that come while its publisher may do nothing end the wait once the publisher may again', async () => {
  const publisher = await crm.ws.key()
  const call = { type: 'task.created', where: { field: 'payload.title', op: 'starts_with', value: 'Call' } }
  const { id } = await published({ trigger: { type: 'manual' }, steps: [waitFor(call), ENDED] }, publisher)
  const contact = await crm.contact()
  found(await crm.ws.post(`/automations/${id}/start`, { contact_id: contact.id }))
  await settle()
  const revoke = (at: string) => crm.app.owner.query(`update api_keys set revoked_at = ${at} where id = $1`, [publisher.keyId])
  await revoke('now()')
  const add = async (title: string) => {
    created(await crm.ws.post('/tasks', { title, contact_id: contact.id }))
    await settle()
  }
  // The first one makes the run due, and the worker finds that its publisher may do nothing.
  await add('Visit')
  expect(await runOf(id)).toMatchObject({ state: 'waiting', reason: 'no_rights', awaits: `task.created:${contact.id}` })
  await add('Call')
  await revoke('null')
  found(await crm.ws.post(`/automations/${id}/resume`))
  const run = await runOf(id)
  expect(run).toMatchObject({ state: 'completed', reason: null })
  expect(await titlesOf(run)).toEqual(['event task.created Call'])
})
