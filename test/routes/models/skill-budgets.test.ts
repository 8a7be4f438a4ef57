import { expect, test } from 'vitest'
import { failed, found, type Row, useCrm } from '../crm.ts'
import { skilling } from './skilling.ts'

const crm = useCrm({ own: true })
const { skill, run, credits, balance } = skilling(crm)

const RUNS = 100
const MODEL = { slow: { text: 'Done.', fault: 'slow' as const }, quick: { text: 'Done.' } }

/** Runs skills a hundred times at once, by turns; their model calls a tool, and answers slowly or at once. Counts the runs that began. */
async function race(...fields: object[]) {
  const contact = await crm.contact()
  const look = { calls: [{ name: 'getContact', arguments: { params: { contact_id: contact.id } } }] }
  const skills = await Promise.all(fields.map((field) => skill({ tools: ['getContact'], credits_per_run: 10, ...field })))
  for (const { marker } of skills)
    crm.app.models.script(marker, Array.from({ length: RUNS }, (_, n) => [look, n % 2 ? MODEL.slow : MODEL.quick]).flat())
  const answers = await Promise.all(Array.from({ length: RUNS }, (_, n) => run(skills[n % skills.length] as Row & { id: string })))
  for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(failed(402, 'INSUFFICIENT_CREDITS'))
  const ids = skills.map(({ id }) => id)
  const { rows } = await crm.app.owner.query('select * from skill_runs where skill_id = any ($1)', [ids])
  expect(rows).toHaveLength(answers.filter(({ status }) => status === 200).length)
  for (const { status, credits, credits_reserved } of rows) {
    expect(status).not.toBe('running')
    expect(credits).toBeLessThanOrEqual(credits_reserved)
  }
  return { ids, begun: rows.length, used: rows.reduce((sum, { credits }) => sum + credits, 0) }
}

/** The most credits that runs of these skills had used or reserved at one time. */
async function mostOf(ids: string[]): Promise<number> {
  const { rows } = await crm.app.owner.query(
    `select coalesce(max(total), 0)::int as most
      from (select -sum(e.amount) over (order by e.created_at, e.id) as total from credit_entries e
      join skill_runs r on r.workspace_id = e.workspace_id and r.id = split_part(e.reference, ':', 2)::uuid
      where e.workspace_id = $1 and e.reference like 'skill_run:%' and r.skill_id = any ($2)) totals`,
    [crm.ws.id, ids],
  )
  return rows[0].most
}

test('a hundred runs at once keep within the balance', { timeout: 120_000 }, async () => {
  await credits(75)
  const { begun, used, ids } = await race({})
  expect(begun).toBeGreaterThan(0)
  // Later runs may begin with what earlier ones have refunded.
  expect(used).toBeLessThanOrEqual(75)
  expect(await mostOf(ids)).toBeLessThanOrEqual(75)
  expect(await balance()).toEqual({ balance: 75 - used, reserved: 0 })
})

test('a hundred runs at once keep within the budgets of a run, of each skill, and of the workspace', { timeout: 240_000 }, async () => {
  await credits(10_000)
  const { ids, begun } = await race({ credits_per_day: 40 })
  expect(begun).toBeGreaterThanOrEqual(4)
  expect(await mostOf(ids)).toBeGreaterThan(30)
  expect(await mostOf(ids)).toBeLessThanOrEqual(40)

  const today = async () => {
    const { rows } = await crm.app.owner.query('select credits from model_days where workspace_id = $1 and subject_id = $1', [crm.ws.id])
    return rows[0].credits as number
  }
  const before = await today()
  found(await crm.ws.patch('/company/crm-settings', { model_credits_per_day: before + 60 }))
  const both = await race({ credits_per_day: 35 }, {})
  expect(await mostOf(both.ids)).toBeGreaterThan(50)
  expect(await mostOf(both.ids)).toBeLessThanOrEqual(60)
  expect(await mostOf(both.ids.slice(0, 1))).toBeLessThanOrEqual(35)
  expect(await today()).toBe(before + both.used)
  found(await crm.ws.patch('/company/crm-settings', { model_credits_per_day: null }))
})

test('a run whose Worker has died is ended once, and pays for what it has used', async () => {
  await credits(1_000)
  const contact = await crm.contact()
  const made = await skill({ tools: ['getContact'] })
  const look = { calls: [{ name: 'getContact', arguments: { params: { contact_id: contact.id } } }] }
  crm.app.models.script(made.marker, [look, { text: 'Never', fault: 'timeout' }])
  const before = await balance()
  const answer = run(made, {}, {}).catch(() => undefined)
  await expect
    .poll(async () => (await crm.app.owner.query('select steps from skill_runs where skill_id = $1', [made.id])).rows[0]?.steps)
    .toBe(1)
  await crm.app.restart()
  await answer
  expect((await balance()).reserved).toBe(before.reserved + 50)
  await crm.app.owner.query("update skill_runs set created_at = created_at - interval '11 minutes' where skill_id = $1", [made.id])
  await crm.app.cron('* * * * *')
  await crm.app.cron('* * * * *')
  const { rows } = await crm.app.owner.query('select status, credits, is_estimate, error from skill_runs where skill_id = $1', [made.id])
  expect(rows).toMatchObject([{ status: 'failed', is_estimate: true, error: { code: 'UNAVAILABLE' } }])
  expect(rows[0].credits).toBeGreaterThan(0)
  expect(await balance()).toEqual({ balance: before.balance - rows[0].credits, reserved: before.reserved })
})
