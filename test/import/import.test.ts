import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { bring, contentOf, texts } from './bringing.ts'

const SAME = { created: 0, moved: 0, changed: 0, refused: 0 }

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(async () => {
  await app.drain()
  await app.close()
})

describe('importing', () => {
  let workspace: TestWorkspace
  let first: Awaited<ReturnType<typeof bring>>
  beforeAll(async () => {
    workspace = await app.workspace()
    first = await bring(app, workspace)
  })

  test('brings all that the files have', async () => {
    expect(first.tallies).toEqual({
      companies: { ...SAME, created: 10 },
      products: { ...SAME, created: 5 },
      members: { ...SAME, created: 9 },
      pipeline: { ...SAME, created: 1 },
      opportunities: { ...SAME, created: 11 },
    })
    expect(first.good).toBe(true)
    const content = await contentOf(workspace)
    expect(content.companies!.find(({ name }) => name === 'Bluth Company')).toMatchObject({
      external_id: 'crm-sales:company:bluth company',
      industry: 'technology',
      country: 'United States',
      founded_year: 1993,
      annual_revenue: 1_242_320_000,
      employee_count: 3027,
      parent_company_id: 'Acme Corporation',
    })
    expect(content.members!.find(({ full_name }) => full_name === 'René Faz')).toMatchObject({
      email: 'rene.faz@crm-sales.example',
      job_title: 'Sales agent',
      office: 'East',
      manager_user_id: 'rocco.neubert@crm-sales.example',
      role: 'client_editor',
      status: 'invited',
    })
    expect(content.opportunities!.find(({ external_id }) => external_id === 'WON00002')).toMatchObject({
      name: 'GTX Pro for Gekko & Co',
      value: 4514.5,
      status: 'won',
      stage_id: 'Won',
      pipeline_id: 'CRM sales',
      customer_id: 'Gekko & Co',
      assigned_to: 'rene.faz@crm-sales.example',
      opened_at: '2016-10-25T00:00:00.000Z',
      closed_at: '2017-03-11T00:00:00.000Z',
    })
    expect(content.opportunities!.find(({ external_id }) => external_id === 'PRO00001')).toMatchObject({
      opened_at: null,
      closed_at: null,
      customer_id: null,
    })
    const items = (content.items as unknown as Record<string, unknown>[][]).map(([item, ...more]) => [
      item?.name,
      item?.unit_price,
      more.length,
    ])
    expect(new Set(items.map((item) => JSON.stringify(item)))).toContain('["GTX Pro",4821,0]')
  })

  test('reports what the files and the pipeline contain', () => {
    const table = first
      .shown()
      .split('\n')
      .filter((line) => /^(Won|no company)/.test(line))
    expect(table.map((line) => line.split(/ {2,}/))).toEqual([
      ['Won', '3', '5,568.50', '3', '5,568.50'],
      ['no company', '3', '3'],
    ])
    expect(first.shown()).toContain(`${first.client.requests} requests, ${first.client.writes} of them writes.`)
  })

  test('again writes nothing', async () => {
    const again = await bring(app, workspace)
    expect(again.client.writes).toBe(0)
    expect(again.sent.every((request) => request.startsWith('GET '))).toBe(true)
    expect(Object.values(again.tallies)).toEqual(Array(5).fill(SAME))
    expect(again.good).toBe(true)
  })

  test('sends only what changed in the files', async () => {
    const before = await contentOf(workspace)
    const changed = {
      'accounts.csv': texts['accounts.csv']
        .replace('Bioholding,medical', 'Bioholding,pharma')
        .replace('2022.145678901,5113,Korea,Ouroboros', '2022.145678901,5113,Korea,Gekko & Co'),
      'products.csv': texts['products.csv'].replace('MG Special,55', 'MG Special,60'),
      'sales_teams.csv': texts['sales_teams.csv'].replace('Carl Lin,Rocco Neubert,West', 'Carl Lin,Dustin Brinkmann,North'),
      'sales_pipeline.csv': texts['sales_pipeline.csv']
        .replace('ENG00001,Carl Lin,GTXPro,,Engaging,11/3/2016,,', 'ENG00001,Carl Lin,GTXPro,Bioholding,Won,11/3/2016,4/5/2017,4800')
        .replace(
          'WON00001,Anna Snelling,GTX Basic,Acme Corporation,Won,10/20/2016,3/1/2017,1054',
          'WON00001,Carl Lin,MG Advanced,Acme Corporation,Engaging,10/20/2016,,',
        )
        .replace('LOST0002,Anna Snelling,GTX Basic,Acme Corporation,Lost', 'LOST0002,Anna Snelling,GTX Basic,Acme Corporation,Won')
        .replace(
          'LOST0001,Mei-Mei Johns,MG Advanced,Bioholding,Lost,2/29/2016,12/31/2016,0',
          'LOST0001,Mei-Mei Johns,MG Advanced,Bioholding,Lost,2/29/2016,12/30/2016,0',
        ),
    }
    const { tallies, sent, good } = await bring(app, workspace, changed)
    expect(tallies).toEqual({
      companies: { ...SAME, changed: 2 },
      products: { ...SAME, changed: 1 },
      members: { ...SAME, changed: 1 },
      pipeline: SAME,
      opportunities: { ...SAME, moved: 3, changed: 1 },
    })
    expect(good).toBe(true)
    const kinds = sent.filter((request) => !request.startsWith('GET')).map((request) => request.replaceAll(/[\da-f-]{36}/g, ':id'))
    expect(kinds.sort()).toEqual([
      'DELETE /opportunities/:id/products/:id',
      'PATCH /company/users/:id/workspace-user-profile',
      'PATCH /products/:id',
      'POST /companies/bulk-update',
      'POST /companies/bulk-update',
      'POST /opportunities/:id/products',
      'POST /opportunities/bulk-move',
      'POST /opportunities/bulk-update',
    ])
    expect((await bring(app, workspace, changed)).client.writes).toBe(0)

    const after = await contentOf(workspace)
    const of = (content: typeof after, id: string) => content.opportunities!.find(({ external_id }) => external_id === id)
    expect(of(after, 'ENG00001')).toMatchObject({
      name: 'GTX Pro for Bioholding',
      status: 'won',
      value: 4800,
      closed_at: '2017-04-05T00:00:00.000Z',
      customer_id: 'Bioholding',
    })
    expect(of(after, 'WON00001')).toMatchObject({
      name: 'MG Advanced for Acme Corporation',
      status: 'open',
      value: 0,
      closed_at: null,
      assigned_to: 'carl.lin@crm-sales.example',
    })
    // A move from lost to won would close it now.
    expect(of(after, 'LOST0002')).toMatchObject({ status: 'won', closed_at: '2017-03-01T00:00:00.000Z' })
    const lineOf = (content: typeof after) =>
      (content.items as unknown[])[content.opportunities!.findIndex(({ external_id }) => external_id === 'WON00001')]
    expect(lineOf(after)).toMatchObject([{ name: 'MG Advanced', unit_price: 3393, quantity: 1 }])
    // And back again.
    await bring(app, workspace)
    expect(await contentOf(workspace)).toEqual(before)
  })

  test('restores values that were changed in the workspace, and leaves fields that the files do not contain', async () => {
    const { data } = (await workspace.get('/opportunities?external_id=WON00002')).body
    await workspace.patch(`/opportunities/${data[0].id}`, { value: 1, notes: 'Kept' })
    const { tallies } = await bring(app, workspace)
    expect(tallies.opportunities).toEqual({ ...SAME, changed: 1 })
    expect((await workspace.get(`/opportunities/${data[0].id}`)).body.data).toMatchObject({ value: 4514.5, notes: 'Kept' })
  })
})

test('records that the API refuses are reported with their line, and the others are imported', async () => {
  const workspace = await app.workspace()
  const long = 'x'.repeat(300)
  const files = {
    ...texts,
    'sales_pipeline.csv': `${texts['sales_pipeline.csv']}${long},Anna Snelling,GTXPro,Bioholding,Won,10/20/2016,3/1/2017,7\n`,
  }
  const { tallies, notes, good, shown } = await bring(app, workspace, files)
  expect(good).toBe(false)
  expect(tallies.opportunities).toEqual({ ...SAME, created: 11, refused: 1 })
  expect(notes.at(-1)).toMatchObject({
    file: 'sales_pipeline.csv',
    line: 16,
    field: 'external_id',
    done: 'skipped',
    why: 'the API refused it: must be at most 255 characters long',
  })
  expect(shown()).toMatch(/Won .* differs/)
})

test('a removed member is not invited again', async () => {
  const workspace = await app.workspace()
  await bring(app, workspace)
  const members = (await workspace.get('/company/users?limit=100')).body.data as { id: string; email: string }[]
  const { id } = members.find(({ email }) => email.startsWith('carl.lin@'))!
  expect((await workspace.delete(`/company/users/${id}`)).status).toBe(200)
  const { notes, client, good } = await bring(app, workspace)
  expect([client.writes, good]).toEqual([0, false])
  expect(notes.at(-1)).toMatchObject({
    file: 'sales_teams.csv',
    line: 5,
    done: 'skipped',
    why: 'was removed from the workspace: not invited again',
  })
})

test('a key that cannot write is reported', async () => {
  const workspace = await app.workspace()
  const reader = await workspace.key({ scopes: ['*:read'] })
  await expect(bring(app, reader)).rejects.toThrow(/The key may not do this \(POST \/companies\/bulk-create\)/)
  await expect(bring(app, { ...workspace, apiKey: 'wck_nonsense' })).rejects.toThrow('refused the key')
  const careful = await workspace.key({ level: 'approval' })
  await expect(bring(app, careful)).rejects.toThrow('held for approval')
})
