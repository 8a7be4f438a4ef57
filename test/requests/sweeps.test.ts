import { expect, test } from 'vitest'
import { useAutomations } from '../automations/automation.ts'
import { useCrm } from '../routes/crm.ts'

const crm = useCrm({ ownServer: true })
const { published, runs } = useAutomations(crm)

test('a sweep that fails is logged, and stops no other', async () => {
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [{ type: 'wait', for: { amount: 1, unit: 'days' } }] })
  await crm.contact()
  expect((await runs(id)).map(({ state }) => state)).toEqual(['waiting'])
  await crm.app.owner.query('update automation_runs set due_at = now()')
  const body = `$$ begin raise exception 'this sweep is broken'; end $$`
  await crm.app.owner.query(`create or replace function expire_holds(p_limit int) returns int language plpgsql as ${body}`)
  await crm.app.cron('* * * * *')
  expect((await runs(id)).map(({ state }) => state)).toEqual(['completed'])
  expect(crm.app.logs.filter((line) => line.includes('this sweep is broken'))).toHaveLength(1)
})
