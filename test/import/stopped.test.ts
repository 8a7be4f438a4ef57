import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'
import { bring, contentOf, few, texts } from './bringing.ts'

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(async () => {
  await app.drain()
  await app.close()
})

/** The same data somewhat later. */
const later = {
  'accounts.csv': few['accounts.csv'].replace('1100.04', '1100.05'),
  'products.csv': `${few['products.csv']}GTX Basic,GTX,550\n`,
  'sales_teams.csv': few['sales_teams.csv'].replace('Central', 'East'),
  'sales_pipeline.csv': few['sales_pipeline.csv']
    .replace('A1,Anna Snelling,GTXPro', 'A1,Anna Snelling,GTX Basic')
    .replace('Engaging,3/2/2017,,', 'Won,3/2/2017,4/2/2017,50'),
}

describe.each([
  ['the first import', undefined, few],
  ['an import of what changed', few, later],
])('%s', { timeout: limit(120_000) }, (_, before, files) => {
  let whole: Awaited<ReturnType<typeof contentOf>>
  let sent: string[]
  /** The numbers of the requests that write something. A proof stops at each in both ways, the usual run in the one or the other. */
  let writes: number[]
  const inTurn = (turn: 0 | 1) => writes.filter((_, index) => proving || index % 2 === turn)

  /** A workspace in which the import can begin. */
  const prepared = async () => {
    const workspace = await app.workspace()
    if (before) await bring(app, workspace, before)
    return workspace
  }
  beforeAll(async () => {
    const workspace = await prepared()
    sent = (await bring(app, workspace, files)).sent
    writes = sent.flatMap((request, index) => (request.startsWith('GET ') ? [] : [index + 1]))
    whole = await contentOf(workspace)
  })

  test('stopped at any of its writes is completed by the next', async () => {
    expect(writes.length).toBeGreaterThan(5)
    for (const at of inTurn(0)) {
      const workspace = await prepared()
      await expect(bring(app, workspace, files, { at, stops: true }), sent[at - 1]).rejects.toThrow('Stopped')
      const { good } = await bring(app, workspace, files)
      expect(good, sent[at - 1]).toBe(true)
      expect(await contentOf(workspace), sent[at - 1]).toEqual(whole)
    }
  })

  test('that loses the answer to any of its writes does nothing twice', async () => {
    for (const at of inTurn(1)) {
      const workspace = await prepared()
      const { good, client } = await bring(app, workspace, files, { at, stops: false })
      expect([good, client.requests], sent[at - 1]).toEqual([true, sent.length + 1])
      expect(await contentOf(workspace), sent[at - 1]).toEqual(whole)
    }
  })
})

test.each([
  'POST /companies/bulk-create',
  'POST /products',
  'POST /company/users/invite',
  'POST /pipelines',
  'POST /opportunities/bulk-create',
])('another import that finishes just before %s is no trouble', async (before) => {
  const workspace = await app.workspace()
  const other = { work: async () => void expect((await bring(app, workspace, few)).good).toBe(true), before }
  const { good, notes } = await bring(app, workspace, few, undefined, other)
  expect([good, notes.filter(({ why }) => why.includes('refused'))]).toEqual([true, []])
  const alone = await app.workspace()
  await bring(app, alone, few)
  expect(await contentOf(workspace)).toEqual(await contentOf(alone))
})

test('more than fit into one call are brought in several, and two imports at once do not get into each other’s way', async () => {
  const workspace = await app.workspace()
  const lines = Array.from(
    { length: 340 },
    (_, index) => `MANY${String(index).padStart(4, '0')},Anna Snelling,GTXPro,Bioholding,Won,10/20/2016,3/1/2017,${index}.5`,
  )
  const many = { ...texts, 'sales_pipeline.csv': `${texts['sales_pipeline.csv']}${lines.join('\n')}\n` }
  const both = await Promise.all([bring(app, workspace, many), bring(app, workspace, many)])
  expect(both.flatMap(({ notes }) => notes).filter(({ why }) => why.includes('refused'))).toEqual([])
  expect(both.some(({ sent }) => sent.filter((request) => request === 'POST /opportunities/bulk-create').length === 4)).toBe(true)
  const { client, good } = await bring(app, workspace, many)
  expect([client.writes, good]).toEqual([0, true])
})
