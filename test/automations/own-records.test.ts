import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

/** Steps that change the record of their own run, end the run, or give it another record. */
const crm = useCrm({ ownServer: true })
const { published, runs, steps, settle } = useAutomations(crm)
const task = (title: string) => ({ type: 'create_task', fields: { title } })
const api = (method: string, path: string, more: Row = {}) => ({ type: 'api_request', method, path, ...more })
const started = async (list: Row[], records: Row, enrolment: Row = {}) => {
  const { id } = await published({ trigger: { type: 'manual' }, steps: list, enrolment })
  found(await crm.ws.post(`/automations/${id}/start`, records))
  await settle()
  return id as string
}
const titles = async () => (found(await crm.ws.get('/tasks')) as Row[]).map(({ title }) => title).toSorted()
const failures = async (id: string) => (await crm.events(id)).filter(({ type }) => type === 'automation.run_failed')

test('templates have the values that steps before them have stored', async () => {
  const { stages } = await crm.firstPipeline()
  const company = created(await crm.ws.post('/companies', { name: 'Old' }))
  const contact = await crm.contact({ city: 'Old', customer_id: company.id })
  const deal = await crm.opportunity({ name: 'Roof', customer_id: company.id, stage_id: stages.New })
  const id = await started(
    [
      { type: 'update_contact', fields: { city: 'Perth' } },
      { type: 'update_company', fields: { name: 'Mill' } },
      { type: 'move_stage', stage_id: stages.Won },
      task('{{ contact.city }} {{ company.name }} {{ opportunity.status }}'),
    ],
    { opportunity_id: deal.id, contact_id: contact.id },
  )
  expect(await runs(id)).toMatchObject([{ state: 'completed' }])
  expect(await titles()).toEqual(['Perth Mill won'])
})

test('a run goes on with the winner when a step of it has merged its contact', async () => {
  const [winner, loser] = [await crm.contact({ first_name: 'Winner' }), await crm.contact({ first_name: 'Loser' })]
  const isWinner = { type: 'condition', if: [{ on: 'contact', filter: { field: 'first_name', op: 'eq', value: 'Winner' } }] }
  const merge = api('POST', '/contacts/merge', { body: { winner_id: winner.id, loser_ids: ['{{ contact.id }}'] } })
  const id = await started([merge, isWinner, task('For {{ contact.first_name }}')], { contact_id: loser.id })
  expect(await runs(id)).toMatchObject([{ state: 'completed', contact_id: winner.id }])
  expect(found(await crm.ws.get('/tasks'))).toMatchObject([{ title: 'For Winner', contact_id: winner.id }])
})

test('a step that deletes the record of its run does so once, and the run ends with it', async () => {
  const contact = await crm.contact()
  const deletion = api('DELETE', '/contacts/{contact_id}', { params: { contact_id: '{{ contact.id }}' } })
  const id = await started([task('Before'), deletion, task('After')], { contact_id: contact.id })
  expect(await crm.ws.get(`/contacts/${contact.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  const [run] = (await runs(id)) as [Row]
  expect(run).toMatchObject({ state: 'cancelled', reason: 'record_deleted', moves: 2, error: null })
  const all = await steps(run.id)
  expect(all.map(({ type, state, attempts }) => [type, state, attempts])).toEqual([
    ['create_task', 'done', 1],
    ['api_request', 'done', 1],
  ])
  expect(all[0]).toMatchObject({ output: { title: 'Before' } })
  expect(found(await crm.ws.get(`/automations/${id}/funnel`))).toMatchObject({ steps: [{ done: 1 }, { done: 1 }, { done: 0 }] })
  expect(await failures(id)).toEqual([])
})

test('a step that cancels its own run, or has it replaced, ends it', async () => {
  const contact = await crm.contact()
  const cancel = api('POST', '/automation-runs/{run_id}/cancel', { params: { run_id: '{{ run.id }}' } })
  const cancelled = await started([cancel, task('After')], { contact_id: contact.id })
  expect(await runs(cancelled)).toMatchObject([{ state: 'cancelled', reason: 'cancelled', moves: 1 }])
  const draft = created(await crm.ws.post('/automations', { name: 'Again', trigger: { type: 'manual' }, steps: [task('Draft')] }))
  const wait = { type: 'wait', for: { amount: 1, unit: 'days' } }
  const isFirst = { type: 'condition', if: [{ on: 'trigger', filter: { field: 'data.first', op: 'eq', value: true } }] }
  const replacing = {
    steps: [{ type: 'branch', branches: [{ if: isFirst.if, steps: [{ type: 'start_automation', automation_id: draft.id }] }] }, wait],
  }
  found(await crm.ws.patch(`/automations/${draft.id}`, { ...replacing, enrolment: { concurrency: 'replace' } }))
  found(await crm.ws.post(`/automations/${draft.id}/publish`))
  found(await crm.ws.post(`/automations/${draft.id}/start`, { contact_id: contact.id, data: { first: true } }))
  expect(await runs(draft.id)).toMatchObject([{ state: 'cancelled', reason: 'replaced', moves: 2 }, { state: 'waiting' }])
  expect(await titles()).toEqual([])
})
