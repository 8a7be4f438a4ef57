import { expect, test } from 'vitest'
import { approveIn } from '../routes/approving.ts'
import { created, failed, found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

const crm = useCrm({ ownServer: true })
const { published, runs, steps, settle } = useAutomations(crm)
const decided = approveIn(() => crm.app)
const started = async (taken: Row[], subject: Row) => {
  const { id } = await published({ trigger: { type: 'manual' }, steps: taken })
  found(await crm.ws.post(`/automations/${id}/start`, subject))
  const [run] = await runs(id)
  return { run: run as Row, steps: async () => (await steps(run?.id)) as Row[] }
}

test('a step deletes, at once or when its deletion is approved', async () => {
  const contact = await crm.contact()
  const [one, two] = [await crm.contact({ first_name: 'Bo' }), await crm.contact({ first_name: 'Cy' })]
  const deletion = ({ id }: Row) => ({
    type: 'api_request',
    method: 'DELETE',
    path: '/contacts/{contact_id}',
    params: { contact_id: id },
  })
  const { run, steps } = await started([deletion(one), { ...deletion(two), require_approval: true }], { contact_id: contact.id })
  expect(await steps()).toMatchObject([{ state: 'done' }, { state: 'held' }])
  expect(await crm.ws.get(`/contacts/${one.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect((await crm.ws.get(`/contacts/${two.id}`)).status).toBe(200)
  const [approval] = found(await crm.ws.get('/approvals?status=pending')) as [Row]
  expect(approval).toMatchObject({ method: 'DELETE', path: '/contacts/:contact_id' })
  await decided(crm.ws, approval.id)
  await settle()
  expect(await crm.ws.get(`/contacts/${two.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.get(`/automation-runs/${run.id}`))).toMatchObject({ state: 'completed' })
})

test('a step moves an opportunity with the reasons why it is lost or won', async () => {
  const { stages } = await crm.firstPipeline()
  await crm.offerReasons(['Price', 'Time'], ['Quality'])
  const [lost, won] = [await crm.opportunity(), await crm.opportunity()]
  await started([{ type: 'move_stage', stage_id: stages.Lost, lost_reasons: ['Price', 'Time'] }], { opportunity_id: lost.id })
  await started([{ type: 'move_stage', stage_id: stages.Won, won_reasons: ['Quality'] }], { opportunity_id: won.id })
  expect(found(await crm.ws.get(`/opportunities/${lost.id}`))).toMatchObject({ stage_id: stages.Lost, lost_reasons: ['Price', 'Time'] })
  expect(found(await crm.ws.get(`/opportunities/${won.id}`))).toMatchObject({ stage_id: stages.Won, won_reasons: ['Quality'] })
})

test('a notice reaches the followers of the record, and nobody else', async () => {
  const contact = await crm.contact()
  const [follower, other] = [await crm.ws.key(), await crm.ws.key()]
  found(await crm.ws.post(`/contacts/${contact.id}/followers`, { user_id: follower.userId }))
  const addressOf = async ({ userId }: { userId: string }) =>
    (await crm.app.owner.query('select email from users where id = $1', [userId])).rows[0].email as string
  await started([{ type: 'notify', followers_of: 'contact', subject: 'News', text: 'Of {{ contact.first_name }}' }], {
    contact_id: contact.id,
  })
  await settle()
  const sent = crm.app.email.sent.filter(({ Subject }) => Subject === 'News').map(({ To }) => To)
  expect(sent).toEqual([await addressOf(follower)])
  expect(sent).not.toContain(await addressOf(other))
})

test.each<[string, step: Row, message: string]>([
  ['waits until a text that names no time', { type: 'wait', until: '{{ contact.first_name }}' }, 'until is "Ana", which is no date'],
  ['waits until a value that is missing', { type: 'wait', until: '{{ contact.email }}' }, 'until is "", which is no date'],
  ['waits until a time that no calendar shows', { type: 'wait', until: '{{ contact.metadata.far }}' }, 'which is no date'],
  ['loops over what is no list', { type: 'for_each', items: '{{ contact.first_name }}', steps: [] }, 'items gives no list'],
  ['loops over too many', { type: 'for_each', items: '{{ contact.metadata.many }}', steps: [] }, 'at most 100 items, not 101'],
])('a step that %s fails with the reason, and nothing after it is done', async (_, step, message) => {
  const contact = await crm.contact({ metadata: { far: '+012026-01-01T00:00:00Z', many: Array.from({ length: 101 }, (_, n) => n) } })
  const { run, steps } = await started([step, { type: 'create_task', fields: { title: 'Never' } }], { contact_id: contact.id })
  expect(run).toMatchObject({ state: 'failed', error: { code: 'VALIDATION_ERROR', message: expect.stringContaining(message) } })
  expect(await steps()).toMatchObject([{ state: 'failed', error: { message: expect.stringContaining(message) } }])
  expect(await crm.count('tasks')).toBe(0)
})

test('a run whose outcome the database refuses fails alone, and a retry continues it', async () => {
  const { id } = await published({
    trigger: { type: 'manual' },
    enrolment: { mode: 'always', concurrency: 'parallel' },
    steps: [
      { type: 'create_task', fields: { title: 'Before' } },
      { type: 'wait', for: { amount: 1, unit: 'days' } },
    ],
  })
  const contacts = [await crm.contact(), await crm.contact(), await crm.contact()]
  const refusal = `refuse_${id.replaceAll('-', '')}`
  await crm.app.owner.query(`create function ${refusal}() returns trigger language plpgsql as
    $$ begin raise exception 'Not storable' using errcode = '22P05'; end $$;
    create trigger ${refusal} before update on automation_runs for each row
      when (new.contact_id = '${contacts[1]?.id}' and new.state = 'waiting') execute function ${refusal}()`)
  for (const { id: contact_id } of contacts) found(await crm.ws.post(`/automations/${id}/start`, { contact_id }))
  const error = { code: 'VALIDATION_ERROR', message: expect.stringContaining('out of range') }
  const waiting = { state: 'waiting', error: null }
  const all = await runs(id)
  expect(all).toMatchObject([waiting, { state: 'failed', error }, waiting])
  await crm.app.owner.query(`drop function ${refusal} cascade`)
  found(await crm.ws.post(`/automation-runs/${all[1]?.id}/retry`))
  expect(await runs(id)).toMatchObject([waiting, waiting, waiting])
  expect(await steps(all[1]?.id)).toMatchObject([
    { type: 'create_task', state: 'done' },
    { type: 'wait', state: 'waiting' },
  ])
  expect(await crm.count('tasks')).toBe(3)
})

test('a loop over as many items as it may have takes its step for each, also for an item of nothing', async () => {
  const contact = await crm.contact({ metadata: { few: ['a', null, 'c'] } })
  const loop = {
    type: 'for_each',
    items: '{{ contact.metadata.few }}',
    steps: [{ type: 'create_task', fields: { title: 'Item {{ item }}.' } }],
  }
  await started([loop], { contact_id: contact.id })
  const titles = found(await crm.ws.get(`/contacts/${contact.id}/tasks`)).map(({ title }) => title)
  expect(titles.toSorted()).toEqual(['Item .', 'Item a.', 'Item c.'])
})

test('a wait until a day that has passed, with a window, ends in the next window from now on', async () => {
  const contact = await crm.contact()
  const window = { from: '00:00', to: '23:59' }
  const { steps } = await started([{ type: 'wait', until: '2020-01-01', window }], { contact_id: contact.id })
  const [waited] = await steps()
  expect(Date.parse(waited?.input.until)).toBeGreaterThan(Date.now() - 60_000 * 5)
})

const task = (title: string) => ({ type: 'create_task', fields: { title } })

test('a step whose one record is refused fails, and goes on only if it may', async () => {
  const company_id = await crm.company()
  const contact = await crm.contact({ customer_id: company_id })
  const { id: list_id } = created(await crm.ws.post('/lists', { name: 'People', object: 'contacts', kind: 'static' }))
  const wrong = { type: 'add_to_list', list_id, record: 'company' }
  const nobody = { type: 'add_tags', record: 'contact', record_id: '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d', tags: ['VIP'] }
  const { id } = await published({
    trigger: { type: 'manual' },
    steps: [{ ...nobody, key: 'tag', on_error: 'continue' }, task('{{ steps.tag.failure.code }}'), wrong, task('After')],
  })
  found(await crm.ws.post(`/automations/${id}/start`, { contact_id: contact.id }))
  const [run] = (await runs(id)) as [Row]
  expect(run).toMatchObject({ state: 'failed', error: { code: 'NOT_FOUND' } })
  expect((await steps(run.id)).map(({ type, state, error }) => [type, state, error?.code])).toEqual([
    ['add_tags', 'failed', 'NOT_FOUND'],
    ['create_task', 'done', undefined],
    ['add_to_list', 'failed', 'NOT_FOUND'],
  ])
  expect(await crm.count('tasks')).toBe(1)
  const preview = found(await crm.ws.post(`/automations/${id}/start?dry_run=true`, { contact_id: contact.id }))
  expect(preview.path.map(({ state }: Row) => state)).toEqual(['failed', 'done', 'failed'])
  expect(found(await crm.ws.get(`/automations/${id}/funnel`)).steps).toMatchObject([
    { done: 0, failed: 1 },
    { done: 1, failed: 0 },
    { done: 0, failed: 1 },
    { done: 0, failed: 0 },
  ])
})
