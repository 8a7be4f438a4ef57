import { expect, test } from 'vitest'
import { failed, found, useCrm } from '../crm.ts'
import { skilling } from './skilling.ts'

const crm = useCrm({ own: true })
const { skill, run, credits, balance } = skilling(crm)

const RUNS = 30

/** Runs a skill thirty times at once, whose model answers slowly, and counts those that began. */
async function race(fields: object) {
  const made = await skill({ credits_per_run: 10, ...fields })
  crm.app.models.script(
    made.marker,
    Array.from({ length: RUNS }, () => ({ text: 'Done.', fault: 'slow' as const })),
  )
  const answers = await Promise.all(Array.from({ length: RUNS }, () => run(made)))
  const completed = answers.filter(({ status }) => status === 200)
  for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(failed(402, 'INSUFFICIENT_CREDITS'))
  return { made, begun: completed.length, used: completed.reduce((sum, { body }) => sum + body.data.usage.credits, 0) }
}

test('thirty runs at once keep within the balance', async () => {
  await credits(75)
  const { begun, used } = await race({})
  expect(begun).toBeGreaterThan(0)
  // Later runs may begin with what earlier ones have refunded.
  expect(used).toBeLessThanOrEqual(75)
  expect(await balance()).toEqual({ balance: 75 - used, reserved: 0 })
})

test('thirty runs at once keep within the budget of a skill, and of a workspace', async () => {
  await credits(10_000)
  const { begun, made } = await race({ credits_per_day: 40 })
  expect(begun).toBe(4)
  const more = await run(made, {}, { max_credits: 10 })
  expect(more.status).toBe(200)
  found(await crm.ws.patch('/company/crm-settings', { model_credits_per_day: 60 }))
  const { rows } = await crm.app.owner.query('select credits from model_days where workspace_id = $1 and subject_id = $1', [crm.ws.id])
  const left = Math.floor((60 - rows[0].credits) / 10)
  const second = await race({})
  expect(second.begun).toBe(left)
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
