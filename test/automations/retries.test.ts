import { expect, test } from 'vitest'
import { failed, found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

/** A retry keeps what the enrolment says about several runs of one record. */
const crm = useCrm({ ownServer: true })
const { published, runs, elapse, settle } = useAutomations(crm)
const WAIT = { type: 'wait', for: { amount: 1, unit: 'days' } }
/** Fails while the city of the contact is no instant. */
const MOVE = { type: 'create_task', fields: { title: 'Visit', due_at: '{{ contact.city }}' } }
const begin = async (enrolment: Row, starts: number) => {
  const automation = await published({ trigger: { type: 'manual' }, enrolment, steps: [MOVE, WAIT] })
  const contact = await crm.contact({ city: 'Nowhere' })
  const start = async () => {
    const { run_id } = found(await crm.ws.post(`/automations/${automation.id}/start`, { contact_id: contact.id }))
    await settle()
    return run_id as string
  }
  for (let count = 0; count < starts; count++) await start()
  const states = async () => (await runs(automation.id)).map(({ state }) => state)
  expect(await states()).toEqual(Array(starts).fill('failed'))
  found(await crm.ws.patch(`/contacts/${contact.id}`, { city: '2030-01-01T00:00:00.000Z' }))
  return { automation, start, states }
}
const retryAll = async ({ id }: Row) => found(await crm.ws.post(`/automations/${id}/retry-failed`)).count

test('runs of a record that wait for each other do so again', async () => {
  const { automation, start, states } = await begin({ concurrency: 'queue' }, 2)
  await start()
  expect(await states()).toEqual(['failed', 'failed', 'waiting'])
  expect(await retryAll(automation)).toBe(2)
  expect(await states()).toEqual(['queued', 'queued', 'waiting'])
  await elapse()
  expect(await states()).toEqual(['waiting', 'queued', 'completed'])
  await elapse()
  expect(await states()).toEqual(['completed', 'waiting', 'completed'])
})

test.each(['skip', 'replace'])(
  'of runs that exclude each other (%s) the latest goes on, unless another one is under way',
  async (concurrency) => {
    const { automation, start, states } = await begin({ concurrency }, 2)
    expect(await retryAll(automation)).toBe(1)
    expect(await states()).toEqual(['failed', 'waiting'])
    await elapse()
    const open = await start()
    const [first] = (await runs(automation.id)) as [Row]
    const busy = failed(409, 'CONFLICT')
    expect(await crm.ws.post(`/automation-runs/${first.id}/retry`)).toMatchObject({
      ...busy,
      body: { error: { details: { reason: 'already_running', id: open } } },
    })
    expect(await retryAll(automation)).toBe(0)
    expect(await states()).toEqual(['failed', 'completed', 'waiting'])
  },
)

test('runs that may go on beside each other all go on', async () => {
  const { automation, states } = await begin({ concurrency: 'parallel' }, 2)
  expect(await retryAll(automation)).toBe(2)
  expect(await states()).toEqual(['waiting', 'waiting'])
})
