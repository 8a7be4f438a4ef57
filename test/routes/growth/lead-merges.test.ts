import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from '../crm.ts'
import { merge, undo } from '../merging.ts'

/** People who are in initiatives, and turn out to be one. */
const crm = useCrm({ own: true })
const PATH = '/lead-gen/initiatives'
const OPEN = {
  send_window_start: '00:00',
  send_window_end: '23:59',
  send_days: [0, 1, 2, 3, 4, 5, 6],
  timezone: 'UTC',
  is_active: true,
  min_gap_seconds: 0,
}

/** An initiative with two steps, of which the first is due at once, and somebody in it. */
async function begun(name: string, initiative?: Row): Promise<{ initiative: Row; contact: string; second: Row }> {
  const known = initiative ?? created(await crm.ws.post(PATH, { name, ...OPEN }))
  const step = async (title: string, delay: number) =>
    created(await crm.ws.post(`${PATH}/${known.id}/steps`, { action_type: 'create_task', action_config: { fields: { title } }, delay }))
  if (!initiative) await step(`${name} 1`, 0)
  const second = initiative ? {} : await step(`${name} 2`, 1440)
  const email = `${crypto.randomUUID()}@merges.example`
  const lead = created(await crm.ws.post('/lead-gen/results', { name: 'Ana Silva', email, country: 'Australia', consent_basis: 'consent' }))
  const { results } = found(await crm.ws.post(`${PATH}/${known.id}/enrol`, { lead_result_ids: [lead.id] }))
  return { initiative: known, contact: results[0].contact_id, second }
}
const enrolments = async ({ id }: Row) => found(await crm.ws.get(`${PATH}/${id}/enrolments`)) as Row[]
async function dispatched(): Promise<Row> {
  const done = found(await crm.ws.post(`${PATH}/dispatcher/run`))
  await crm.app.drain()
  return done
}
const titles = async (contact: string) => (found(await crm.ws.get(`/contacts/${contact}/tasks`)) as Row[]).map(({ title }) => title)
const paused = async (isActive: boolean, ...initiatives: Row[]) => {
  for (const { id } of initiatives) found(await crm.ws.patch(`${PATH}/${id}`, { is_active: isActive }))
}

test('the one person goes on in the initiative of the winner, and gets no step of the other', async () => {
  // The step of the other one is due first.
  const [two, one] = [await begun('Two'), await begun('One')]
  await paused(false, one.initiative, two.initiative)
  await merge(crm, 'contacts', one.contact, [two.contact])
  await paused(true, two.initiative, one.initiative)
  for (let n = 0; n < 3; n++) await dispatched()
  expect(await titles(one.contact)).toEqual(['One 1'])
  expect(await enrolments(one.initiative)).toMatchObject([{ status: 'active', next_step_id: one.second.id }])
  expect(await enrolments(two.initiative)).toEqual([])
})

test('of two in one initiative one goes on; after the undo both do', async () => {
  const one = await begun('One')
  const two = await begun('One', one.initiative)
  await paused(false, one.initiative)
  const { merge_id } = await merge(crm, 'contacts', one.contact, [two.contact])
  expect(await enrolments(one.initiative)).toHaveLength(1)
  await paused(true, one.initiative)
  // The one that is left has its first step; its next one is due tomorrow.
  const minute = async () => {
    await crm.app.cron('* * * * *')
    await crm.app.drain()
  }
  for (let n = 0; n < 2; n++) await minute()
  expect(await titles(one.contact)).toEqual(['One 1'])
  await undo(crm, 'contacts', merge_id)
  await minute()
  expect([await titles(one.contact), await titles(two.contact)]).toEqual([['One 1'], ['One 1']])
  expect(await enrolments(one.initiative)).toMatchObject([1, 2].map(() => ({ status: 'active', next_step_id: one.second.id })))
})
