import { expect, test } from 'vitest'
import { failed, found, refused, useCrm } from './crm.ts'

const crm = useCrm()

const patch = (fields: unknown) => crm.ws.patch('/company', fields)

test('the workspace shows itself, with its slug', async () => {
  const answer = await crm.ws.get('/company')
  expect(found(answer)).toMatchObject({
    id: crm.ws.id,
    name: expect.stringMatching(/^Workspace /),
    slug: expect.stringMatching(/^workspace-/),
    timezone: 'Australia/Sydney',
    logo_url: null,
    version: 1,
  })
  expect(answer.headers.get('etag')).toBe('"1"')
})

test('every writable field is stored, and null clears the optional ones', async () => {
  const sent = {
    name: 'Harbour Renovations',
    slug: `harbour-${crm.ws.id.slice(-8)}`,
    description: 'Builds\ndecks',
    contact_name: 'Ana Lee',
    contact_email: 'ANA@harbour.example',
    phone: '(02) 9374 4000',
    logo_url: 'https://harbour.example/logo.png',
    primary_color: '#1A73E8',
    secondary_color: '#000000',
    address: '12 Bridge Street\nNewcastle',
    timezone: 'wa',
    industry: 'Construction',
    website_url: 'https://harbour.example',
    abn: '51 824 753 556',
  }
  const kept = {
    ...sent,
    contact_email: 'ana@harbour.example',
    phone: '+61293744000',
    primary_color: '#1a73e8',
    timezone: 'Australia/Perth',
  }
  expect(found(await patch(sent))).toMatchObject({ ...kept, version: 2 })
  expect(found(await crm.ws.get('/company'))).toMatchObject(kept)
  const { name, slug, timezone, ...others } = kept
  const cleared = Object.fromEntries(Object.keys(others).map((field) => [field, null]))
  expect(found(await patch(cleared))).toMatchObject({ name, slug, timezone, ...cleared })
})

test.each([
  [{ name: null }, 'name'],
  [{ name: ' ' }, 'name'],
  [{ slug: 'Harbour' }, 'slug'],
  [{ slug: 'a--b' }, 'slug'],
  [{ slug: '-a' }, 'slug'],
  [{ slug: '' }, 'slug'],
  [{ timezone: 'Mars/Olympus' }, 'timezone'],
  [{ timezone: null }, 'timezone'],
  [{ phone: '12' }, 'phone'],
  [{ primary_color: 'bluish' }, 'primary_color'],
  [{ website_url: 'harbour' }, 'website_url'],
  [{ contact_email: 'ana' }, 'contact_email'],
  [{ from_email: 'crm@example.com' }, 'from_email'],
  [{ id: '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d' }, 'id'],
])('%j is refused, naming %s', async (fields, path) => {
  expect(await patch(fields)).toMatchObject(refused(path))
  expect(found(await crm.ws.get('/company')).version).toBe(1)
})

test('a slug is unique among all workspaces', async () => {
  const other = found(await (await crm.app.workspace()).get('/company'))
  expect(await patch({ slug: other.slug })).toMatchObject(failed(409, 'CONFLICT'))
})

test('an update changes this workspace and no other', async () => {
  const other = await crm.app.workspace()
  const before = found(await other.get('/company'))
  found(await patch({ industry: 'Construction' }))
  expect(found(await other.get('/company'))).toEqual(before)
})

test('the history shows who changed what, and If-Match prevents lost updates', async () => {
  found(await crm.ws.patch('/company', { industry: 'Retail' }, { 'if-match': '"1"' }))
  expect(await crm.ws.patch('/company', { industry: 'Mining' }, { 'if-match': '"1"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  found(await patch({ industry: 'Mining' }))
  const history = await crm.walk('/company/history?limit=1')
  expect(history.map(({ action, version }) => [action, version])).toEqual([
    ['updated', 3],
    ['updated', 2],
    ['created', 1],
  ])
  expect(history[0]).toMatchObject({
    entity: 'workspace',
    entity_id: crm.ws.id,
    user_id: crm.ws.userId,
    fields: { industry: { before: 'Retail', after: 'Mining' } },
  })
  expect((await crm.events(crm.ws.id)).filter(({ type }) => type === 'workspace.updated')).toHaveLength(2)
})

test('reading and writing need their scopes', async () => {
  const reader = await crm.ws.key({ scopes: ['company:read'] })
  found(await reader.get('/company'))
  expect(await reader.patch('/company', { industry: 'X' })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
})
