import { expect, test } from 'vitest'
import { addRows } from '../requests/work-items.ts'
import { useCrm } from './crm.ts'

const crm = useCrm({ own: true })
/** More than a transaction of the tick ends. */
const MANY = 2_100
const past = new Date(Date.now() - 3 * 86_400_000)

test('a tick deletes all old confirmations and wrong PINs, however many there are', async () => {
  const rows = (values: Record<string, unknown>) => Array.from({ length: MANY }, () => ({ workspace_id: crm.ws.id, ...values }))
  await addRows(crm.app.owner, 'booking_confirmations', rows({ form: { name: 'Ana' }, created_at: past, expires_at: past }))
  await addRows(crm.app.owner, 'portal_attempts', rows({ failed_at: past }))
  await crm.app.cron('* * * * *')
  expect([await crm.count('booking_confirmations'), await crm.count('portal_attempts')]).toEqual([0, 0])
})
