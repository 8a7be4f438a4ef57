import { expect, test } from 'vitest'
import { unlinkClient } from '../../../dev/agency/agency.ts'
import { type NewSync, recordSync, recordWebsite } from '../../../dev/agency/websites.ts'
import { useCrm } from '../crm.ts'
import { agencyIn } from './agencies.ts'

const crm = useCrm()
const SITE = { name: 'Main website', repository: 'https://git.example.com/bright-roofs', branch: 'main' }

test('a website shows its source and its latest syncs, and of a failed build the end of the log without secrets', async () => {
  const agency = await agencyIn(crm.app)
  const client = await agency.client()
  const website_id = await recordWebsite(crm.app.owner, agency.ws.id, { client_id: client.id, ...SITE })
  expect(await recordWebsite(crm.app.owner, agency.ws.id, { client_id: client.id, ...SITE, name: 'Website' })).toBe(website_id)
  const sync = (change: Partial<NewSync> & { status: NewSync['status'] }, secrets?: string[]) =>
    recordSync(crm.app.owner, agency.ws.id, { website_id, ...change }, secrets)
  const log = `${'Copied a page\n'.repeat(1_000)}NPM_TOKEN=abc123\ndeploy with swordfish\nError: no such file`
  const id = await sync({ status: 'building', commit: '4f2a9c1', started_at: '2026-01-01T10:00:00Z', log })
  const shown = async () => (await agency.ws.get(`/agency/websites?client_id=${client.id}`)).body.data
  expect(await shown()).toMatchObject([{ id: website_id, ...SITE, name: 'Website', syncs: [{ id, status: 'building', log_tail: null }] }])

  await sync({ id, status: 'failed', log, ended_at: '2026-01-01T10:05:00Z' }, ['swordfish'])
  const [{ syncs }] = await shown()
  expect(syncs).toMatchObject([{ id, status: 'failed', commit: '4f2a9c1', started_at: '2026-01-01T10:00:00.000Z' }])
  expect(syncs[0].log_tail).toMatch(/NPM_TOKEN=\[redacted\]\ndeploy with \[redacted\]\nError: no such file$/)
  expect(Buffer.byteLength(syncs[0].log_tail)).toBeLessThanOrEqual(4_096)
  await sync({ id, status: 'queued' })
  expect((await shown())[0].syncs).toMatchObject([{ status: 'queued', log_tail: null }])

  const preview_url = 'https://preview.example.com/next'
  for (let n = 1; n <= 103; n++)
    await sync({ status: 'ready', preview_url, started_at: new Date(Date.UTC(2026, 1, 1, 0, n)).toISOString() })
  expect((await shown())[0].syncs.map((one: { preview_url: string }) => one.preview_url)).toEqual(Array(5).fill(preview_url))
  const kept = await crm.app.owner.query('select min(started_at) as first, count(*)::int from website_syncs where website_id = $1', [
    website_id,
  ])
  expect(kept.rows).toEqual([{ first: new Date(Date.UTC(2026, 1, 1, 0, 4)), count: 100 }])
})

test('websites are those of clients that the agency looks after', async () => {
  const [agency, other] = [await agencyIn(crm.app), await agencyIn(crm.app)]
  const client = await agency.client()
  const site = { client_id: client.id, ...SITE }
  await expect(recordWebsite(crm.app.owner, other.ws.id, site)).rejects.toThrow('no client of this agency')
  const website_id = await recordWebsite(crm.app.owner, agency.ws.id, site)
  await expect(recordSync(crm.app.owner, other.ws.id, { website_id, status: 'queued' })).rejects.toThrow('no website of this agency')
  const second = await recordWebsite(crm.app.owner, agency.ws.id, { ...site, branch: 'next' })
  const id = await recordSync(crm.app.owner, agency.ws.id, { website_id, status: 'queued' })
  await expect(recordSync(crm.app.owner, agency.ws.id, { id, website_id: second, status: 'ready' })).rejects.toThrow('another website')
  expect((await other.ws.get('/agency/websites')).body.data).toEqual([])
  await unlinkClient(crm.app.owner, agency.ws.id, client.id)
  expect((await agency.ws.get('/agency/websites')).body.data).toEqual([])
  await expect(recordWebsite(crm.app.owner, agency.ws.id, site)).rejects.toThrow('no client of this agency')
})
