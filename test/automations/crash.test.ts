import { expect, test } from 'vitest'
import type { Outage } from '../../dev/neon-proxy.ts'
import { proving } from '../proof.ts'
import { type Row, useCrm } from '../routes/crm.ts'
import { limit } from '../speed.ts'
import { useAutomations } from './automation.ts'

/** Whatever request to the database fails or loses its answer, the run takes each step once. */
const crm = useCrm({ ownServer: true })
const { published, runs, steps, elapse } = useAutomations(crm)
const STEPS = [
  { type: 'create_task', key: 'a', fields: { title: 'A' } },
  { type: 'condition', if: [{ on: 'contact', filter: { field: 'first_name', op: 'eq', value: 'Ana' } }] },
  { type: 'create_task', fields: { title: 'B {{ steps.a.title }}' } },
]

async function interrupted(mode: Outage, at: number): Promise<{ reached: boolean; titles: string[]; state: string; taken: number }> {
  const ws = await crm.app.workspace()
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: STEPS }, ws)
  await crm.app.drain()
  const { proxy } = crm.app
  let count = 0
  let isAnswered = false
  proxy.onRequest = () => {
    count += isAnswered ? 1 : 0
    proxy.outage = isAnswered && count === at ? mode : 'none'
  }
  await ws.post('/contacts', { first_name: 'Ana' })
  isAnswered = true
  await crm.app.drain()
  Object.assign(proxy, { onRequest: undefined, outage: 'none' })
  for (let tick = 0; tick < 3; tick++) {
    await crm.app.owner.query('update automation_runs set due_at = now() where workspace_id = $1 and due_at is not null', [ws.id])
    await crm.app.cron('* * * * *')
    await crm.app.drain()
  }
  const [run] = (await ws.get(`/automation-runs?automation_id=${id}`)).body.data as Row[]
  const titles = ((await ws.get('/tasks')).body.data as Row[]).map(({ title }) => title).toSorted()
  const taken = (await ws.get(`/automation-runs/${run?.id}/steps`)).body.data as Row[]
  return { reached: count >= at, titles, state: run?.state, taken: taken.length }
}

test('a database that fails or loses its answer at any request of a run repeats no step and loses none', {
  timeout: limit(240_000),
}, async () => {
  let points = 0
  // A proof fails at each request in both ways, the usual run in the one or the other.
  for (const mode of ['lose_answer', 'refuse'] as const)
    for (let at = mode === 'refuse' || proving ? 1 : 2; at < 30; at += proving ? 1 : 2) {
      const { reached, ...outcome } = await interrupted(mode, at)
      expect([mode, at, outcome]).toEqual([mode, at, { titles: ['A', 'B A'], state: 'completed', taken: 3 }])
      if (!reached) break
      points += 1
    }
  console.log(`${points} requests interrupted`)
  expect(points).toBeGreaterThan(10)
})

test('doubled, shuffled and concurrent messages start and take everything once', async () => {
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: STEPS })
  await crm.app.drain()
  crm.app.proxy.outage = 'none'
  const messages = Array.from({ length: 5 }, () => ({ type: 'work.run', kind: 'automations.run', workspace_id: crm.ws.id }))
  const contacts = Array.from({ length: 10 }, () => crm.ws.post('/contacts', { first_name: 'Ana' }))
  await Promise.all([...contacts, ...messages.map((message) => crm.app.deliver('events', [message, message]))])
  await crm.app.drain()
  await elapse()
  const all = await runs(id)
  expect(all.map(({ state }) => state)).toEqual(Array(10).fill('completed'))
  expect(await crm.count('tasks')).toBe(20)
  expect(await steps(all[0]?.id)).toHaveLength(3)
})
