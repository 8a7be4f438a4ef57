import { SCOPES } from '../../src/domain/scopes.ts'
import type { Harness } from '../harness.ts'
import type { KeyOptions, TestWorkspace } from '../workspace.ts'

/** A workspace in which attackers hold some keys, and the calls that they can try: see escalation.test.ts. */

/** The rights of a key or a member. Scopes are listed individually, without wildcards. */
export type Rights = { scopes: string[]; level: number; admin: boolean; expires: number }
export type Actor = { name: string; apiKey: string; rights: KeyOptions; expiresInDays?: number; keyId?: string; userId?: string }
export type World = {
  ws: TestWorkspace
  actors: Actor[]
  /** The ids in the calls: those of records that exist before the attack. */
  ids: { owner: string; bystander: string; invited: string; broadKey: string; agedKey: string; role: string; policy?: string }
  start: Snapshot
}
/**
 * The rights of every key and every member, by id. Keys whose secret the attackers hold are `held`, and those that a policy names are
 * `named`.
 * `stored` has the scopes and the level of a key as they are stored, which may exceed its member's role. `pending` lists the approvals.
 * `bypassed` counts the changes of members that a policy should have held, but that nobody else has approved.
 */
export type Snapshot = {
  keys: Map<string, Rights & { held: boolean; named: boolean; user: string; stored: string }>
  members: Map<string, Rights & { role: string }>
  pending: string[]
  roles: string
  policies: string
  bypassed: number
}
/** Whom the policy of a world is about: every key, or the attackers' keys. It holds changes of members. */
export type Policy = 'everyone' | 'attackers'

/** Every scope without a wildcard. */
export const ATOMS = SCOPES.filter((scope) => !scope.includes('*'))
const DAY = 86_400_000
export const NEVER = Number.POSITIVE_INFINITY

/** Creates a workspace with an owner, a bystander, an invited member, a custom role, two keys of the owner, and the attackers' keys. */
export async function makeWorld(app: Harness, attackers: Omit<Actor, 'apiKey'>[], policy?: Policy): Promise<World> {
  const ws = await app.workspace()
  const post = async (path: string, body: object) => {
    const { status, body: response } = await ws.post(path, body)
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(response)}`)
    return response.data
  }
  const role = await post('/roles', { name: 'Sellers', key: 'sellers', scopes: ['contacts:read'], can_write: false })
  const bystander = await ws.key({ role: 'sellers', scopes: ['*:*'] })
  const invited = await post('/company/users/invite', { email: `${crypto.randomUUID()}@example.com`, role: 'client_admin' })
  const broadKey = await post('/api-keys', { name: 'Broad', scopes: ['*:*'] })
  const agedKey = await post('/api-keys', { name: 'Aged', scopes: ['contacts:read'], level: 'read_only', expires_at: inDays(0.5) })
  const actors: Actor[] = []
  for (const attacker of attackers) {
    const { apiKey, keyId, userId } = await ws.key(attacker.rights)
    const { expiresInDays } = attacker
    if (expiresInDays !== undefined)
      await app.owner.query('update api_keys set expires_at = $2, first_expires_at = $2 where id = $1', [keyId, inDays(expiresInDays)])
    actors.push({ ...attacker, apiKey, keyId, userId })
  }
  const named = policy === 'attackers' ? { requester_key_ids: actors.map(({ keyId }) => keyId) } : {}
  const held = policy && (await post('/approval-policies', { name: 'Members', events: ['member.updated'], ...named }))
  const world = {
    ws,
    actors,
    ids: {
      owner: ws.userId,
      bystander: bystander.userId,
      invited: invited.id,
      broadKey: broadKey.id,
      agedKey: agedKey.id,
      role: role.id,
      ...(held && { policy: held.id as string }),
    },
  }
  return { ...world, start: await snapshot(app, world) }
}

const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()

const LEVEL = ['read_only', 'approval', 'execute']
const rightsOf = (row: { key_scopes?: string[]; role_scopes: string[]; level: string; can_write: boolean; role: string }) => ({
  scopes: ATOMS.filter((scope) => grants(row.role_scopes, scope) && grants(row.key_scopes ?? ['*:*'], scope)),
  level: row.can_write ? LEVEL.indexOf(row.level) : 0,
  admin: row.role === 'client_admin',
})
function grants(granted: string[], scope: string): boolean {
  const [resource, action] = scope.split(':')
  return [scope, `${resource}:*`, `*:${action}`, '*:*'].some((one) => granted.includes(one))
}

/** Reads the rights from the tables, without the functions under test. */
export async function snapshot(app: Harness, { ws, actors, ids }: Pick<World, 'ws' | 'actors' | 'ids'>): Promise<Snapshot> {
  const { rows: keys } = await app.owner.query(
    `select k.id, k.user_id, k.scopes as key_scopes, k.level, k.expires_at, m.role, r.scopes as role_scopes, r.can_write,
       exists (select from approval_policies p where p.workspace_id = k.workspace_id and k.id = any (p.requester_key_ids)) as named
     from api_keys k join memberships m using (workspace_id, user_id)
     join roles r on r.workspace_id = k.workspace_id and r.role_key = m.role
     where k.workspace_id = $1 and k.revoked_at is null and m.status = 'active'`,
    [ws.id],
  )
  const { rows: members } = await app.owner.query(
    `select m.user_id as id, 'execute' as level, m.role, r.scopes as role_scopes, r.can_write
     from memberships m join roles r on r.workspace_id = m.workspace_id and r.role_key = m.role
     where m.workspace_id = $1 and m.status <> 'removed'
     and (m.status = 'active' or exists (select from invitations i
       where i.workspace_id = m.workspace_id and i.user_id = m.user_id and i.expires_at > now()))`,
    [ws.id],
  )
  const { rows: pending } = await app.owner.query(
    `select jsonb_build_array(method, path, request, requested_by, key_id, edited_by, policy_ids, stale_at is null)::text as request
     from approvals where workspace_id = $1 and status = 'pending' order by 1`,
    [ws.id],
  )
  const { rows: others } = await app.owner.query(
    `select (select string_agg(r.role_key || r.scopes::text || r.can_write, ' ' order by r.id) from roles r
      where r.workspace_id = $1) as roles,
      (select coalesce(string_agg(p.is_active::text || p.requester_may_approve || cardinality(p.requester_roles || p.approver_roles), ' '
        order by p.id), '')
        from approval_policies p where p.workspace_id = $1) as policies,
      (select count(*)::int from changes c
        left join approvals a on a.workspace_id = c.workspace_id and a.id = c.cause_id and c.cause_type = 'approval'
        where c.workspace_id = $1 and c.entity = 'member' and c.action = 'updated' and $2::uuid is not null and c.key_id = any ($3)
          and coalesce(a.decided_by in (a.requested_by, a.edited_by), a.id is null)) as bypassed`,
    [ws.id, ids.policy ?? null, actors.map(({ keyId }) => keyId)],
  )
  const held = new Set(actors.map(({ keyId }) => keyId))
  return {
    ...others[0],
    keys: new Map(
      keys.map((row) => [
        row.id,
        {
          ...rightsOf(row),
          expires: row.expires_at ? row.expires_at.getTime() : NEVER,
          held: held.has(row.id),
          named: row.named,
          user: row.user_id,
          stored: `${row.key_scopes}/${row.level}`,
        },
      ]),
    ),
    members: new Map(members.map((row) => [row.id, { ...rightsOf(row), expires: NEVER, role: row.role }])),
    pending: pending.map(({ request }) => request),
  }
}

const within = (rights: Rights, bound: Rights, expiry: boolean) =>
  rights.scopes.every((scope) => bound.scopes.includes(scope)) &&
  rights.level <= bound.level &&
  (!rights.admin || bound.admin) &&
  (!expiry || rights.expires <= bound.expires)

/** The tables that the operations change, in the order in which they can be filled. */
const TABLES = ['roles', 'memberships', 'api_keys', 'invitations', 'approvals', 'approval_policies']
export type Saved = { rows: Record<string, unknown>; actors: Actor[] }

/** Copies the tables that the operations change, to restore them later. This is much faster than repeating the calls. */
export async function save(app: Harness, { ws, actors }: World): Promise<Saved> {
  const columns = TABLES.map((table) => `(select jsonb_agg(to_jsonb(t)) from ${table} t where workspace_id = $1) as ${table}`)
  const { rows } = await app.owner.query(`select ${columns.join(', ')}`, [ws.id])
  return { rows: rows[0], actors: actors.map((actor) => ({ ...actor })) }
}

export async function restore(app: Harness, world: World, { rows, actors }: Saved): Promise<void> {
  const { rows: lists } = await app.owner.query<{ name: string; columns: string }>(
    `select attrelid::regclass::text as name, string_agg(quote_ident(attname), ', ') as columns from pg_attribute
     where attrelid = any ($1::regclass[]) and attnum > 0 and not attisdropped and attgenerated = '' group by 1`,
    [TABLES],
  )
  const statements = TABLES.flatMap((table) => {
    const columns = lists.find(({ name }) => name === table)?.columns
    const saved = `'${JSON.stringify(rows[table] ?? []).replaceAll("'", "''")}'::jsonb`
    return [
      `delete from ${table} where workspace_id = '${world.ws.id}'`,
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, ${saved})`,
    ]
  })
  await app.owner.query(['begin', 'set local session_replication_role = replica', ...statements, 'commit'].join(';'))
  world.actors = actors.map((actor) => ({ ...actor }))
}

/**
 * Returns what the attackers gained: a key or member with a right that neither it (unless they took its secret) nor any of their keys had
 * at the start. Members do not expire, so for them the expiry of the attackers' keys is ignored.
 */
export function gains({ start }: World, now: Snapshot): string[] {
  const own = [...start.keys.values()].filter(({ held }) => held)
  const gained: string[] = now.bypassed > start.bypassed ? ['a write that nobody else approved'] : []
  for (const [id, key] of now.keys) {
    const before = start.keys.get(id)
    const bounds = [...own, ...(before && (before.held || !key.held) ? [before] : [])]
    // A role has no expiry, so a role that the attackers may give can extend the key of another person, which keeps its own expiry.
    const expires = key.held || !before || key.expires > before.expires
    if (!bounds.some((bound) => within(key, bound, expires))) gained.push(`key ${id}`)
  }
  for (const [id, member] of now.members) {
    const before = start.members.get(id)
    if (![...own, ...(before ? [before] : [])].some((bound) => within(member, bound, false))) gained.push(`member ${id}`)
  }
  return gained
}

const round = ({ scopes, level, admin, expires, ...more }: Rights & { role?: string; stored?: string }) =>
  `${more.role ?? more.stored}: ${scopes.join()}/${level}/${admin}/${expires === NEVER ? expires : Math.round(expires / 60_000)}`

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Replaces ids: by their position for keys and members from before the attack, by their rights for new ones, which are interchangeable. */
function withoutIds(text: string, { start }: World, { keys, members }: Snapshot): string {
  const olds = [...start.keys.keys(), ...start.members.keys()]
  return text.replace(new RegExp(`${ID.source}@`, 'g'), 'somebody@').replace(ID, (id) => {
    const rights = keys.get(id) ?? members.get(id)
    return olds.includes(id) ? `#${olds.indexOf(id)}` : rights ? `<${round(rights)}>` : id
  })
}

const describeKeys = (world: World, now: Snapshot, isRelevant: (user: string) => boolean = () => true) => {
  const keys = [...now.keys].filter(([, { user }]) => isRelevant(user))
  const lines = keys.map(([id, key]) => withoutIds(`${id} ${key.user} ${key.held} ${key.named} ${round(key)}`, world, now))
  return [...new Set(lines)].sort()
}

/** Describes a state as text, which is equal for states that do not differ for the attackers. */
export function stateKey(world: World, now: Snapshot): string {
  const members = [...now.members].map(([id, member]) => withoutIds(`${id} ${round(member)}`, world, now))
  const pending = now.pending.map((request) => withoutIds(request, world, now))
  return JSON.stringify([describeKeys(world, now), [...new Set(members)].sort(), pending, now.roles, now.policies])
}

/** Describes an attacker's key as text. Keys of one person that have the same rights can do the same. */
export function actorKey({ keyId, userId }: Actor, { keys }: Snapshot): string {
  const key = keys.get(keyId as string)
  return key ? `${userId}:${key.named}:${round(key)}` : 'revoked'
}

/** Describes as text what a call is decided by: the rights of the caller and of the keys and members that it names, and what they share. */
export function callKey(actor: Actor, call: string, now: Snapshot): string {
  const named = [...call.matchAll(ID)].map(([id]) => {
    const known = now.keys.get(id) ?? now.members.get(id)
    return known ? round(known) : id
  })
  return JSON.stringify([
    call.replace(/\/[0-9a-f]{8}-[0-9a-f-]{27}/g, ''),
    actorKey(actor, now),
    named,
    now.pending,
    now.roles,
    now.policies,
  ])
}

/**
 * Describes as text what the effect of a call on rights depends on. A call that a sequence ends with is not repeated where this is equal.
 * A call about keys affects one key, within the rights of its caller and of the key's member; one about policies affects policies only; one
 * about a member affects the member and its keys. The effect of any other call may depend on the whole state.
 */
export function effectKey(world: World, actor: Actor, call: string, now: Snapshot): string {
  const [id = ''] = [...call.matchAll(ID)].map(([found]) => found)
  const key = now.keys.get(id)
  const shared = [withoutIds(call, world, now), actorKey(actor, now), now.roles, now.policies]
  const target = [describeKeys(world, now, (user) => user === id), now.members.get(id)?.role]
  if (/ \/(?:api-keys|approval-policies)\b/.test(call)) return JSON.stringify([...shared, key && `${key.held} ${key.named} ${round(key)}`])
  if (call.endsWith('/workspace-user-roles')) return JSON.stringify([...shared, target])
  return JSON.stringify([...shared, stateKey(world, now)])
}
