import { expect, test } from 'vitest'
import { campaigning } from '../routes/campaigning.ts'
import { found, useCrm } from '../routes/crm.ts'

/** How many emails of a campaign are sent by when. */
const crm = useCrm({ own: true })
const { draft, path, people, send, sentOf, show } = campaigning(crm)

/** As if this time had gone by, and the cron job came. */
async function after(time: string, id: string): Promise<void> {
  const at = 'workspace_id = $2 and campaign_id = $3'
  for (const [table, column] of [
    ['campaign_windows', 'began_at'],
    ['campaign_recipients', 'due_at'],
    ['campaign_sends', 'due_at'],
  ])
    await crm.app.owner.query(`update ${table} set ${column} = ${column} - $1::interval where ${at}`, [time, crm.ws.id, id])
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}
const countOf = (id: string, domain = '') => sentOf(id).filter(({ To = '' }) => To.endsWith(domain)).length
const started = async (fields: object) => {
  crm.app.email.clear()
  const { id } = await draft(fields as never)
  await send(id)
  await crm.app.drain()
  return id as string
}

test('a campaign sends no more in a minute and in an hour than it may', async () => {
  await people(9)
  const id = await started({ max_per_minute: 2, max_per_hour: 5 })
  const counts = [countOf(id)]
  for (const time of ['1 minute', '1 minute', '1 minute', '58 minutes']) {
    await after(time, id)
    counts.push(countOf(id))
  }
  expect(counts).toEqual([2, 4, 5, 5, 7])
  await after('1 minute', id)
  expect([countOf(id), (await show(id)).status]).toEqual([9, 'sent'])
})

test('each mail domain gets so many of a campaign in an hour, and no other domain waits; what is missed comes later', async () => {
  await people(7)
  await crm.app.owner.query(
    `update contacts set email = replace(email, 'example.com', 'example.org') where workspace_id = $1 and email ~ '-[12]@'`,
    [crm.ws.id],
  )
  const id = await started({ max_per_domain: 2 })
  expect([countOf(id, '@example.com'), countOf(id, '@example.org')]).toEqual([2, 2])
  const { rows } = await crm.app.owner.query(
    `select date_trunc('hour', due_at) = due_at as exact, count(*)::int from campaign_recipients
      where campaign_id = $1 and due_at is not null group by due_at, 1 order by due_at`,
    [id],
  )
  expect(rows).toEqual([
    { exact: true, count: 2 },
    { exact: true, count: 1 },
  ])
  await after('1 hour', id)
  expect(countOf(id)).toBe(6)
  found(await crm.ws.post(path(id, '/pause')))
  await after('3 hours', id)
  expect(countOf(id)).toBe(6)
  found(await crm.ws.post(path(id, '/resume')))
  await crm.app.drain()
  expect([countOf(id), (await show(id)).status]).toEqual([7, 'sent'])
  expect(await show(id)).toMatchObject({ max_per_domain: 2, max_per_minute: null, max_per_hour: null })
  const windows = 'select from campaign_windows where campaign_id = $1'
  expect((await crm.app.owner.query(windows, [id])).rowCount).toBe(0)
})
