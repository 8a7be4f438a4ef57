import { expect, test } from 'vitest'
import { found, type Row, useCrm } from './crm.ts'

const crm = useCrm()
const grant = (credits: number, reference: string) =>
  crm.app.owner.query('select grant_credits($1, $2, $3)', [crm.ws.id, credits, reference])
const credits = async () => found(await crm.ws.get('/billing/credits'))

/** Runs a statement in the workspace, as every path of the Worker does. */
async function run(statement: string, values: unknown[]): Promise<Row[]> {
  const client = await crm.app.owner.connect()
  try {
    await client.query('begin')
    await client.query("select set_config('app.workspace_id', $1, true)", [crm.ws.id])
    const { rows } = await client.query(statement, values)
    await client.query('commit')
    return rows
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** A message with a price, as every channel reserves it. */
const reserve = (key: string, price: number) =>
  run(
    `insert into messages (channel, purpose, recipient, body_text, dedupe_key, credits, segments)
      values ('whatsapp', 'request', '+61412345678', 'Hi', $1, $2, $2)
      on conflict (workspace_id, dedupe_key) do nothing returning id`,
    [key, price],
  )
const end = (id: string, status: string) => run('update messages set status = $2 where id = $1', [id, status])

test('credits are reserved with a message, settled when it is sent, and refunded when it has failed or is deleted', async () => {
  expect(await credits()).toMatchObject({ balance: 0, reserved: 0, prices: { sms: 1, mms: 3, email: 0 } })
  await grant(10, 'order 1')
  await grant(10, 'order 1')
  expect(await credits()).toMatchObject({ balance: 10, reserved: 0 })

  const [sent, failed, deleted] = await Promise.all(['a', 'b', 'c'].map(async (key) => (await reserve(key, 2))[0]?.id as string))
  await reserve('a', 2)
  expect(await credits()).toMatchObject({ balance: 4, reserved: 6 })
  for (let time = 0; time < 2; time++) {
    await end(sent as string, 'sent')
    await end(failed as string, 'failed')
  }
  await run('delete from messages where id = $1', [deleted])
  expect(await credits()).toMatchObject({ balance: 8, reserved: 0 })

  const entries: Row[] = found(await crm.ws.get('/billing/credits/entries'))
  expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(8)
  expect(entries[0]?.balance).toBe(8)
  expect(entries.filter(({ message_id }) => message_id === sent)).toMatchObject([
    { kind: 'settle', amount: 0, units: 2, channel: 'whatsapp' },
    { kind: 'reserve', amount: -2 },
  ])
  expect(found(await crm.ws.get('/billing/credits/entries?kind=refund'))).toHaveLength(2)
  const month = `${new Date().toISOString().slice(0, 7)}-01`
  expect(found(await crm.ws.get('/billing/credits/usage'))).toMatchObject([
    { month, channel: 'whatsapp', messages: 1, units: 2, credits: 2 },
  ])
})

test('the balance is never negative, however many messages are sent at once', async () => {
  await grant(40, 'order 1')
  const results = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => reserve(`message ${n}`, 1)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(40)
  expect(await credits()).toMatchObject({ balance: 0, reserved: 40 })
  const entries = await crm.walk('/billing/credits/entries')
  const balances = entries.filter(({ kind }) => kind === 'reserve').map(({ balance }) => balance)
  expect(balances.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n))
})

test('the ledger of another workspace is not seen', async () => {
  await grant(5, 'order 1')
  const other = await crm.app.workspace()
  expect(found(await other.get('/billing/credits'))).toMatchObject({ balance: 0 })
  expect(found(await other.get('/billing/credits/entries'))).toEqual([])
})

test('only a number of credits is granted, once for each reference', async () => {
  for (const number of [0, -5]) await expect(grant(number, 'bad')).rejects.toThrow('must be positive')
  for (const [number, reference] of [
    [5, 'invoice 1'],
    [5, 'invoice 1'],
    [7, 'invoice 2'],
  ] as const)
    await grant(number, reference)
  expect(await credits()).toMatchObject({ balance: 12, reserved: 0 })
})
