import { expect, test } from 'vitest'
import { settled } from '../database.ts'
import type { ApiResponse } from '../workspace.ts'
import { created, failed, found, refused, useCrm } from './crm.ts'

const crm = useCrm({ ownServer: true })
const idsOf = (response: ApiResponse) => found(response).map(({ id }) => id)

const KINDS = [
  { plural: 'contacts', entity: 'contact', column: 'contact_id', make: async () => (await crm.contact()).id as string },
  { plural: 'companies', entity: 'company', column: 'customer_id', make: async () => crm.company(`C${crypto.randomUUID()}`) },
  { plural: 'opportunities', entity: 'opportunity', column: 'opportunity_id', make: async () => (await crm.opportunity()).id as string },
]

/** Lets everything that follows the events catch up. */
async function settle(): Promise<void> {
  for (const task of [() => crm.app.drain(), () => crm.app.cron('* * * * *'), () => crm.app.drain()]) {
    await task()
    await settled(crm.app.owner)
  }
}

test.each(KINDS)(
  'members follow $plural: they are added once, listed, found, notified and removed',
  async ({ plural, entity, column, make }) => {
    const [record, other] = [await make(), await make()]
    const { userId } = await crm.ws.key()
    const path = `/${plural}/${record}/followers`
    const follow = (user_id: string) => crm.ws.post(path, { user_id })
    const first = await follow(userId)
    expect(created(first)).toMatchObject({ user_id: userId })
    const again = await follow(userId)
    expect([again.status, found(again)]).toEqual([200, created(first)])
    created(await follow(crm.ws.userId))
    expect(found(await crm.ws.get(path)).map(({ user_id }) => user_id)).toEqual([userId, crm.ws.userId])
    expect(found(await crm.ws.get(`${path}?limit=1`))).toHaveLength(1)

    expect(idsOf(await crm.ws.get(`/${plural}?followed_by=${userId}`))).toEqual([record])
    const search = (op: string, value?: unknown) => crm.ws.post(`/${plural}/search`, { filter: { field: 'followed_by', op, value } })
    expect(idsOf(await search('eq', userId))).toEqual([record])
    expect(idsOf(await search('in', [userId, crm.ws.userId]))).toEqual([record])
    expect(idsOf(await search('not_eq', userId))).toEqual([other])
    expect(idsOf(await search('is_empty'))).toEqual([other])
    expect(idsOf(await search('is_not_empty'))).toEqual([record])

    const notice = { followers_of: { [column]: record }, subject: 'News', text: 'It has changed' }
    const { recipients } = found(await crm.ws.post('/messages/notify', notice))
    expect(recipients).toHaveLength(2)
    await crm.app.owner.query("update memberships set status = 'removed' where workspace_id = $1 and user_id = $2", [crm.ws.id, userId])
    expect(found(await crm.ws.post('/messages/notify', notice)).recipients).toHaveLength(1)
    expect(await crm.ws.post('/messages/notify', { ...notice, followers_of: { [column]: other } })).toMatchObject(
      failed(409, 'RECIPIENT_UNREACHABLE'),
    )
    expect(await crm.ws.post('/messages/notify', { ...notice, followers_of: { [column]: crypto.randomUUID() } })).toMatchObject(
      refused(`followers_of.${column}`),
    )

    expect(found(await crm.ws.delete(`${path}/${userId}`))).toEqual({
      [`${entity}_id`]: record,
      user_id: userId,
      deleted: true,
    })
    expect(await crm.ws.delete(`${path}/${userId}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await follow(userId)).toMatchObject(refused('user_id'))
    expect(await crm.ws.post(`/${plural}/${crypto.randomUUID()}/followers`, { user_id: crm.ws.userId })).toMatchObject(
      failed(404, 'NOT_FOUND'),
    )
    await settle()
    const types = found(await crm.ws.get('/events?type=follower.*&order=asc')).map(({ type }) => type)
    expect(types).toEqual(['follower.created', 'follower.created', 'follower.deleted'])
    const reader = await crm.ws.key({ scopes: [`${plural}:read`] })
    expect(found(await reader.get(path))).toHaveLength(1)
    expect(await reader.post(path, { user_id: userId })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  },
)

test.each(KINDS)(
  'followers of $plural go with a merge and its undo, a deletion and its restore, and are erased by a purge',
  async ({ plural, make }) => {
    const [winner, loser] = [await make(), await make()]
    const { userId } = await crm.ws.key()
    const followersOf = async (id: string) => found(await crm.ws.get(`/${plural}/${id}/followers`)).map(({ user_id }) => user_id)
    for (const [id, user_id] of [
      [winner, crm.ws.userId],
      [loser, crm.ws.userId],
      [loser, userId],
    ])
      created(await crm.ws.post(`/${plural}/${id}/followers`, { user_id }))
    const merged = found(await crm.ws.post(`/${plural}/merge`, { winner_id: winner, loser_ids: [loser] }))
    expect(merged.moved.followers).toBe(1)
    expect(await followersOf(winner)).toEqual([crm.ws.userId, userId])
    found(await crm.ws.post(`/${plural}/merges/${merged.merge_id}/undo`))
    expect([await followersOf(winner), await followersOf(loser)]).toEqual([[crm.ws.userId], [crm.ws.userId, userId]])

    found(await crm.ws.delete(`/${plural}/${loser}`))
    expect(await crm.count('followers')).toBe(1)
    found(await crm.ws.post(`/${plural}/${loser}/restore`))
    expect(await followersOf(loser)).toEqual([crm.ws.userId, userId])
    if (plural === 'contacts')
      expect(found(await crm.ws.get(`/contacts/${loser}/data`)).records.followers).toMatchObject([
        { user_id: userId },
        { user_id: crm.ws.userId },
      ])
    found(await crm.ws.delete(`/${plural}/${loser}?purge=true`))
    expect(await crm.count('followers')).toBe(1)
  },
)

test('a record has at most 100 followers, and a tracked list of followed records notices who follows', async () => {
  const { id } = await crm.contact()
  const list = created(
    await crm.ws.post('/lists', {
      name: 'Followed',
      object: 'contacts',
      kind: 'live',
      filter: { field: 'followed_by', op: 'is_not_empty' },
      tracks_membership: true,
    }),
  )
  await settle()
  const path = `/contacts/${id}/followers`
  created(await crm.ws.post(path, { user_id: crm.ws.userId }))
  await settle()
  expect((await crm.events(list.id)).map(({ type }) => type)).toContain('list.entered')
  found(await crm.ws.delete(`${path}/${crm.ws.userId}`))
  await settle()
  expect((await crm.events(list.id)).map(({ type }) => type)).toContain('list.left')

  created(await crm.ws.post(path, { user_id: crm.ws.userId }))
  const users = `select gen_random_uuid() as id, n from generate_series(1, 99) n`
  await crm.app.owner
    .query(
      `with u as (insert into users (id, email) select id, 'f' || n || '-${id}@example.com' from (${users}) s returning id),
      m as (insert into memberships (workspace_id, user_id, role) select $1, id, 'client_editor' from u returning user_id)
      insert into followers (workspace_id, contact_id, user_id) select $1, $2, user_id from m`,
      [crm.ws.id, id],
    )
    .catch((error) => error)
  expect(found(await crm.ws.get(`${path}?limit=100`))).toHaveLength(100)
  const { userId } = await crm.ws.key()
  expect(await crm.ws.post(path, { user_id: userId })).toMatchObject(refused('user_id'))
  expect((await crm.ws.post(path, { user_id: crm.ws.userId })).status).toBe(200)
})
