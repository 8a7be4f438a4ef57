import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'
import type { ApiResponse } from '../workspace.ts'
import {
  type Actor,
  actorKey,
  callKey,
  effectKey,
  gains,
  makeWorld,
  type Policy,
  restore,
  type Saved,
  type Snapshot,
  save,
  snapshot,
  stateKey,
  type World,
} from './escalation.ts'

/**
 * Searches for a way to more rights: attackers who hold some keys try every sequence of up to three calls that touch keys, roles, members,
 * invitations, approvals and approval policies. After each call that succeeds, nobody may have rights that neither they nor the attackers
 * had at the start, and no write that a policy holds may have been executed without somebody else's approval. A refused call changes
 * nothing, so only sequences of successful calls are continued, each from the state that it led to, and from one of those that do not
 * differ for the attackers. Of keys of one person with the same rights one is tried. A call is not repeated that was refused when its
 * caller, and the keys, members, roles, approvals and policies that it depends on, had the same rights; nor is the last call of a sequence
 * if it has been tried where all that its effect depends on was the same.
 */
const DEPTH = proving ? 3 : 2
/** The last call of a sequence in `npm test`: it turns what the earlier ones prepared into rights. */
const LAST = /^(approve|rotate|create a key with any scope, for ever|give itself (?:client_admin|sellers))/

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
const SOON = new Date(Date.now() + 3_600_000).toISOString()
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
    'the scope of members': () => ({ scopes: ['users:*'] }),
    'one scope, for an hour': () => ({ scopes: ['contacts:read'], expires_at: SOON }),
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
    body: () => ({ name: 'Broad', key: 'broad', scopes: ['*:*'] }),
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
  { name: 'approve all', method: 'POST', path: () => '/approvals/bulk-approve', body: () => ({ ids: ['latest'] }) },
  {
    name: 'edit the request',
    method: 'PATCH',
    path: () => '/approvals/latest',
    body: () => ({ body: { role: 'client_editor' } }),
  },
  ...[{ is_active: false }, { requester_may_approve: true }, { requester_roles: ['client_viewer'] }].map((body) => ({
    name: `update the policy ${JSON.stringify(body)}`,
    method: 'PATCH',
    path: ({ ids }: World) => `/approval-policies/${ids.policy}`,
    body: () => body,
  })),
  { name: 'delete the policy', method: 'DELETE', path: ({ ids }) => `/approval-policies/${ids.policy}` },
]

type Step = { actor: number; operation: Operation }

type Call = { actor: Actor; method: string; path: string; body: string }

/** The call of a step; undefined where what it is about does not exist. */
async function callOf(world: World, { actor: at, operation }: Step): Promise<Call | undefined> {
  const actor = world.actors[at]
  if (!actor) return undefined
  const path = operation.path(world, actor)
  const body = JSON.stringify(operation.body?.(world, actor) ?? {})
  if (path.endsWith('/undefined')) return undefined
  if (!`${path}${body}`.includes('latest')) return { actor, method: operation.method, path, body }
  const { rows } = await app.owner.query(
    "select id from approvals where workspace_id = $1 and status = 'pending' order by id desc limit 1",
    [world.ws.id],
  )
  const fill = (text: string) => text.replace('latest', rows[0].id)
  return rows[0] && { actor, method: operation.method, path: fill(path), body: fill(body) }
}

/** Calls the API as one of the attackers. A secret in the response makes the key another attacker. */
async function take(world: World, { actor, method, path, body }: Call): Promise<boolean> {
  const response = await app.fetch(`/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${actor.apiKey}`, 'content-type': 'application/json' },
    ...(method !== 'DELETE' && { body }),
  })
  const { data } = (await response.json()) as ApiResponse['body']
  expect(response.status, `${method} ${path}: ${JSON.stringify(data)}`).toBeLessThan(500)
  if (response.status >= 400 || data?.errors?.length > 0) return false
  if (data?.key) {
    const other = world.actors.find(({ keyId }) => keyId === data.id)
    if (other) other.apiKey = data.key
    else world.actors.push({ name: 'a new key', apiKey: data.key, keyId: data.id, userId: data.user_id, rights: {} })
  }
  if (path.endsWith('approve')) await app.drain()
  return true
}

type Found = { found: string[]; states: number; calls: number; skipped: number }
type Reached = { steps: string[]; state: Saved; now: Snapshot }

async function search(attackers: Omit<Actor, 'apiKey'>[], policy?: Policy): Promise<Found> {
  const found: string[] = []
  const seen = new Set<string>()
  const refused = new Set<string>()
  const tried = new Set<string>()
  let [calls, skipped] = [0, 0]
  const world = await makeWorld(app, attackers, policy)
  let reached: Reached[] = [{ steps: [], state: await save(app, world), now: world.start }]
  for (let depth = 0; depth < DEPTH; depth++) {
    const next: Reached[] = []
    for (const { steps, state, now: before } of reached) {
      await restore(app, world, state)
      const operations = proving || depth === 0 ? OPERATIONS : OPERATIONS.filter(({ name }) => LAST.test(name))
      const kinds = state.actors.map((actor) => actorKey(actor, before))
      for (const operation of operations)
        for (let at = 0; at < state.actors.length; at++) {
          const call = await callOf(world, { actor: at, operation })
          const known = call && callKey(call.actor, `${operation.name} ${call.path}`, before)
          const effect = call && effectKey(world, call.actor, `${operation.name} ${call.path}`, before)
          const isKnown = depth === DEPTH - 1 && effect && tried.has(effect)
          if (!call || !known || isKnown || kinds.indexOf(kinds[at] as string) < at || refused.has(known)) {
            skipped += 1
            continue
          }
          calls += 1
          tried.add(effect as string)
          if (!(await take(world, call))) {
            refused.add(known)
            continue
          }
          const now = await snapshot(app, world)
          const path = [...steps, `${world.actors[at]?.name}: ${operation.name}`]
          const gained = gains(world, now)
          if (gained.length > 0) found.push(path.join(' → '))
          const key = stateKey(world, now)
          if (!seen.has(key) && gained.length === 0 && depth < DEPTH - 1) next.push({ steps: path, state: await save(app, world), now })
          seen.add(key)
          await restore(app, world, state)
        }
    }
    reached = next
  }
  return { found, states: seen.size, calls, skipped }
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

/** The scopes of a key that may do anything but change policies and create keys. */
const GOVERNED = ['users:*', 'roles:*', 'approvals:*', 'contacts:read']
const UNDER_POLICY: Record<string, [Policy, Omit<Actor, 'apiKey'>[]]> = {
  'one whom a policy is about': ['everyone', [admin('governed', GOVERNED)]],
  'an agent, and an editor, whom a policy is about': [
    'everyone',
    [admin('agent', GOVERNED, { level: 'approval' }), { name: 'editor', rights: { role: 'client_editor', scopes: GOVERNED } }],
  ],
  'a key that a policy names, and that creates keys': ['attackers', [admin('named', ['api-keys:*', 'users:*', 'contacts:read'])]],
}
const WORLDS = [
  ...Object.entries(ATTACKERS).map(([who, attackers]) => [who, attackers, undefined] as const),
  ...Object.entries(UNDER_POLICY).map(([who, [policy, attackers]]) => [who, attackers, policy] as const),
]

test.each(WORLDS)('%s gains nothing', { timeout: proving ? 3_600_000 : limit(120_000) }, async (who, attackers, policy) => {
  const { found, states, calls, skipped } = await search([...attackers], policy)
  if (proving) console.log(`${who}: ${calls} calls, ${skipped} skipped, ${states} states`)
  expect(found).toEqual([])
  expect(states, 'the attackers can do something at all').toBeGreaterThan(1)
})
