import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { ApiResponse } from '../workspace.ts'
import { type Actor, gains, makeWorld, restore, type Saved, save, snapshot, stateKey, type World } from './escalation.ts'

/**
 * Searches for a way to more rights: attackers who hold some keys try every sequence of up to three calls that touch keys, roles, members,
 * invitations and approvals. After each call that succeeds, nobody may have rights that neither they nor the attackers had at the start.
 * A refused call changes nothing, so only sequences of successful calls are continued, each from the state that it led to.
 */
const DEPTH = proving ? 3 : 2
/** The last call of a sequence in `npm test`: it turns what the earlier ones prepared into rights. */
const LAST = /^(approve|rotate|create a key with any scope, for ever|give itself client_admin)/

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())

type Operation = {
  name: string
  method: string
  path: (world: World, actor: Actor) => string
  body?: (world: World, actor: Actor) => object
}
const MEMBERS = '/company/users'
const FAR = new Date(Date.now() + 400 * 86_400_000).toISOString()

const keyOf = {
  itself: (_: World, { keyId }: Actor) => keyId,
  'a broad key': ({ ids }: World) => ids.broadKey,
  'an aged key': ({ ids }: World) => ids.agedKey,
}
const memberOf = {
  itself: (_: World, { userId }: Actor) => userId,
  'the first attacker': ({ actors }: World) => actors[0]?.userId,
  'the last attacker': ({ actors }: World) => actors.at(-1)?.userId,
  'a bystander': ({ ids }: World) => ids.bystander,
}
const named = <T>(choices: Record<string, T>) => Object.entries(choices) as [string, T][]
const ROLES = ['client_admin', 'client_editor', 'sellers']

const OPERATIONS: Operation[] = [
  ...named({
    'any scope, for ever': () => ({ scopes: ['*:*'] }),
    'any scope, for the owner': ({ ids }: World) => ({ scopes: ['*:*'], user_id: ids.owner, expires_at: FAR }),
    'one scope, for ever': () => ({ scopes: ['contacts:read'] }),
    'one scope, for a day': (_: World) => ({ scopes: ['contacts:read'], expires_at: new Date(Date.now() + 3_600_000).toISOString() }),
  }).map(([name, fields]) => ({
    name: `create a key with ${name}`,
    method: 'POST',
    path: () => '/api-keys',
    body: (world: World) => ({ name: 'New', ...(fields as (world: World) => object)(world) }),
  })),
  ...named(keyOf).flatMap(([whose, id]) => [
    ...[{ scopes: ['*:*'] }, { level: 'execute' }, { expires_at: null }, { expires_at: FAR }, { scopes: ['contacts:read'] }].map(
      (body) => ({
        name: `update ${whose} ${JSON.stringify(body)}`,
        method: 'PATCH',
        path: (world: World, actor: Actor) => `/api-keys/${id(world, actor)}`,
        body: () => body,
      }),
    ),
    { name: `rotate ${whose}`, method: 'POST', path: (world: World, actor: Actor) => `/api-keys/${id(world, actor)}/rotate` },
  ]),
  ...named(memberOf).flatMap(([whose, id]) =>
    ROLES.map((role) => ({
      name: `give ${whose} ${role}`,
      method: 'PATCH',
      path: (world: World, actor: Actor) => `${MEMBERS}/${id(world, actor)}/workspace-user-roles`,
      body: () => ({ role }),
    })),
  ),
  ...[undefined, ...ROLES].map((role) => ({
    name: `invite ${role}`,
    method: 'POST',
    path: () => `${MEMBERS}/invite`,
    body: () => ({ email: `${crypto.randomUUID()}@example.com`, role }),
  })),
  { name: 'invite again', method: 'POST', path: ({ ids }) => `${MEMBERS}/${ids.invited}/resend-invitation` },
  {
    name: 'create a broad role',
    method: 'POST',
    path: () => '/roles',
    body: () => ({ name: crypto.randomUUID(), key: 'broad', scopes: ['*:*'] }),
  },
  ...[{ scopes: ['*:*'] }, { can_write: true }].map((body) => ({
    name: `update the role ${JSON.stringify(body)}`,
    method: 'PATCH',
    path: ({ ids }: World) => `/roles/${ids.role}`,
    body: () => body,
  })),
  ...['client_admin', 'client_editor'].map((role) => ({
    name: `replace the role by ${role}`,
    method: 'DELETE',
    path: ({ ids }: World) => `/roles/${ids.role}?reassign_to=${role}`,
  })),
  { name: 'approve', method: 'POST', path: () => '/approvals/latest/approve' },
]

type Step = { actor: number; operation: Operation }

/** Calls the API as one of the attackers. A secret in the response makes the key another attacker. */
async function take(world: World, { actor: at, operation }: Step): Promise<boolean> {
  const actor = world.actors[at]
  if (!actor) return false
  let path = operation.path(world, actor)
  if (path.includes('/latest/')) {
    const { rows } = await app.owner.query(
      "select id from approvals where workspace_id = $1 and status = 'pending' order by id desc limit 1",
      [world.ws.id],
    )
    if (!rows[0]) return false
    path = path.replace('latest', rows[0].id)
  }
  const response = await app.fetch(`/v1${path}`, {
    method: operation.method,
    headers: { authorization: `Bearer ${actor.apiKey}`, 'content-type': 'application/json' },
    ...(operation.method !== 'DELETE' && { body: JSON.stringify(operation.body?.(world, actor) ?? {}) }),
  })
  const { data } = (await response.json()) as ApiResponse['body']
  expect(response.status, `${operation.name}: ${JSON.stringify(data)}`).toBeLessThan(500)
  if (response.status >= 400) return false
  if (data?.key) {
    const other = world.actors.find(({ keyId }) => keyId === data.id)
    if (other) other.apiKey = data.key
    else world.actors.push({ name: 'a new key', apiKey: data.key, keyId: data.id, userId: data.user_id, rights: {} })
  }
  if (operation.name === 'approve') await app.drain()
  return true
}

async function search(attackers: Omit<Actor, 'apiKey'>[]): Promise<{ found: string[]; states: number; calls: number }> {
  const found: string[] = []
  const seen = new Set<string>()
  let calls = 0
  const world = await makeWorld(app, attackers)
  let reached: { steps: string[]; state: Saved }[] = [{ steps: [], state: await save(app, world) }]
  for (let depth = 0; depth < DEPTH; depth++) {
    const next: typeof reached = []
    for (const { steps, state } of reached) {
      await restore(app, world, state)
      const operations = proving || depth === 0 ? OPERATIONS : OPERATIONS.filter(({ name }) => LAST.test(name))
      for (const operation of operations)
        for (let at = 0; at < state.actors.length; at++) {
          calls += 1
          if (!(await take(world, { actor: at, operation }))) continue
          const now = await snapshot(app, world)
          const path = [...steps, `${world.actors[at]?.name}: ${operation.name}`]
          const gained = gains(world, now)
          if (gained.length > 0) found.push(path.join(' → '))
          const key = stateKey(world, now)
          if (!seen.has(key) && gained.length === 0) next.push({ steps: path, state: await save(app, world) })
          seen.add(key)
          await restore(app, world, state)
        }
    }
    reached = next
  }
  return { found, states: seen.size, calls }
}

const admin = (name: string, scopes: string[], more: Partial<Actor> & { level?: 'execute' | 'approval' } = {}) => {
  const { level = 'execute', ...rest } = more
  return { name, rights: { role: 'client_admin', scopes, level }, ...rest }
}
const ATTACKERS: Record<string, Omit<Actor, 'apiKey'>[]> = {
  'a key that manages keys': [admin('keys', ['api-keys:*', 'contacts:read'])],
  'a key that expires': [admin('expiring', ['*:*'], { expiresInDays: 1 })],
  'a key that manages people': [admin('people', ['users:*', 'roles:*', 'contacts:read'])],
  'an agent, and a key that approves': [admin('agent', ['*:*'], { level: 'approval' }), admin('clerk', ['approvals:*'])],
  'an agent, and an editor': [
    admin('agent', ['*:*'], { level: 'approval' }),
    { name: 'editor', rights: { role: 'client_editor', scopes: ['*:*'] } },
  ],
}

test.each(Object.keys(ATTACKERS))('%s gains nothing', { timeout: proving ? 3_600_000 : 120_000 }, async (who) => {
  const { found, states, calls } = await search(ATTACKERS[who] ?? [])
  if (proving) console.log(`${who}: ${calls} calls, ${states} states`)
  expect(found).toEqual([])
  expect(states, 'the attackers can do something at all').toBeGreaterThan(1)
})
