import { expect, test } from 'vitest'
import { allEndpoints } from '../../routes/index.ts'
import { found, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

const opened = (permissions: Row[]): string[] =>
  permissions.flatMap(({ scopes }) =>
    scopes.flatMap(({ scope, endpoints }: Row) => endpoints.map(({ method, path }: Row) => `${scope} ${method} ${path}`)),
  )

test('exactly the scopes that endpoints require are listed, with their endpoints', async () => {
  const permissions = found(await crm.ws.get('/permissions'))
  const required = (await allEndpoints()).flatMap(({ access: { scopes }, method, path }) =>
    scopes.map((scope) => `${scope} ${method} ${path}`),
  )
  expect(opened(permissions).sort()).toEqual(required.sort())
  const contacts = permissions.find(({ resource }) => resource === 'contacts')!
  expect(contacts.scopes.map(({ scope }: Row) => scope)).toEqual(['contacts:read', 'contacts:write', 'contacts:delete'])
  expect(contacts.scopes[0].description).toMatch(/^Read: .*contacts/)
  expect(contacts.scopes[0].endpoints).toContainEqual({
    method: 'GET',
    path: '/contacts/:contact_id/deals',
    summary: expect.any(String),
    scopes: ['contacts:read', 'opportunities:read'],
    admin: false,
    deprecated: false,
  })
})

test('by resource and by method', async () => {
  const some = found(await crm.ws.get('/permissions?resource=roles&method=PATCH'))
  expect(some).toMatchObject([
    { resource: 'roles', scopes: [{ scope: 'roles:write', endpoints: [{ method: 'PATCH', path: '/roles/:role_id', admin: true }] }] },
  ])
  expect(opened(found(await crm.ws.get('/permissions?method=DELETE'))).every((line) => line.includes(' DELETE '))).toBe(true)
  expect(found(await crm.ws.get('/permissions?resource=nothing'))).toEqual([])
  expect(await crm.ws.get('/permissions?method=HEAD')).toMatchObject(refused('method'))
})

test('every key may ask, but a key it must be', async () => {
  found(await (await crm.ws.key({ scopes: ['contacts:read'], role: 'client_viewer' })).get('/permissions'))
  expect((await crm.app.fetch('/v1/permissions')).status).toBe(401)
})
