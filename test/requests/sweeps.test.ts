import { expect, test } from 'vitest'
import { useAutomations } from '../automations/automation.ts'
import { useCrm } from '../routes/crm.ts'

const crm = useCrm({ ownServer: true })
const { published, runs } = useAutomations(crm)

test.each([
  ['fails', 'P0001'],
  ['takes too long', '57014'],
  ['waits too long for a lock', '55P03'],
])('a sweep that %s is logged, and stops no other', async (how, code) => {
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [{ type: 'wait', for: { amount: 1, unit: 'days' } }] })
  await crm.contact()
  expect((await runs(id)).map(({ state }) => state)).toEqual(['waiting'])
  await crm.app.owner.query('update automation_runs set due_at = now() where workspace_id = $1', [crm.ws.id])
  const body = `$$ begin raise exception 'this sweep ${how}' using errcode = '${code}'; end $$`
  await crm.app.owner.query(`create or replace function expire_holds(p_limit int) returns int language plpgsql as ${body}`)
  crm.app.logs.length = 0
  await crm.app.cron('* * * * *')
  expect((await runs(id)).map(({ state }) => state)).toEqual(['completed'])
  expect(crm.app.logs.filter((line) => line.includes('"cron":"sweep"'))).toHaveLength(1)
})
