import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { createWorkspace } from '../dev/workspace.ts'
import { hashKey, newKey } from '../src/lib/keys.ts'
import type { Client, TextResponse } from './http-client.ts'

export interface WorkspaceOptions {
  name?: string
  scopes?: string[]
  /** Whether metadata may have only the keys of custom fields, as in every new workspace. Otherwise it may have any. */
  strict?: boolean
}

export interface KeyOptions {
  scopes?: string[]
  level?: 'execute' | 'approval' | 'read_only'
  /** The key of a role: client_admin, client_editor, client_viewer or a custom one. */
  role?: string
  /** A further key of the same member. */
  own?: true
}

export interface ApiResponse {
  status: number
  /** The parsed JSON, or the text when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape
  body: any
  headers: Pick<Headers, 'get' | 'has'>
}

type Call = (path: string, headers?: Record<string, string>) => Promise<ApiResponse>
type CallWithBody = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<ApiResponse>

/** A workspace seen through one of its keys. Paths come without /v1. */
export interface TestWorkspace {
  id: string
  userId: string
  apiKey: string
  keyId: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  get: Call
  delete: Call
  post: CallWithBody
  patch: CallWithBody
  put: CallWithBody
  /** The same workspace through another key, of another member unless it is `own`. */
  key(options?: KeyOptions): Promise<TestWorkspace>
}

/** A fresh workspace, through its owner's key, which may do everything or what `scopes` says. */
export async function createTestWorkspace(
  owner: pg.Pool,
  client: Client,
  { name, scopes, strict = false }: WorkspaceOptions = {},
): Promise<TestWorkspace> {
  const unique = randomBytes(4).toString('hex')
  const made = await createWorkspace(owner, {
    name: name ?? `Workspace ${unique}`,
    ownerEmail: `owner-${unique}@example.com`,
    ownerName: `Owner ${unique}`,
  })
  if (!strict) await allowAnyKey(owner, made.workspace_id)
  if (scopes) await owner.query('update api_keys set scopes = $2 where id = $1', [made.key_id, scopes])
  return through({ id: made.workspace_id, userId: made.user_id, apiKey: made.key, keyId: made.key_id }, owner, client)
}

/** Allows any key in metadata, without a trace in the history. */
export const allowAnyKey = (owner: pg.Pool, workspaceId: string) =>
  owner.query(`begin; set local session_replication_role = replica;
    update crm_settings set custom_fields_strict = false where workspace_id = '${workspaceId}'; commit`)

export type Identity = Pick<TestWorkspace, 'id' | 'userId' | 'apiKey' | 'keyId'>

/** A workspace that exists, through a key that is known. */
export function through(identity: Identity, owner: pg.Pool, client: Client): TestWorkspace {
  const call: TestWorkspace['call'] = async (method, path, body, headers) => {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const init = { method, headers: { authorization: `Bearer ${identity.apiKey}`, ...json, ...headers } }
    return read(await client(`/v1${path}`, body === undefined ? init : { ...init, body: JSON.stringify(body) }))
  }
  const withBody =
    (method: string): CallWithBody =>
    (path, body, headers) =>
      call(method, path, body, headers)
  return {
    ...identity,
    call,
    get: (path, headers) => call('GET', path, undefined, headers),
    delete: (path, headers) => call('DELETE', path, undefined, headers),
    post: withBody('POST'),
    patch: withBody('PATCH'),
    put: withBody('PUT'),
    key: async (options) => through(await addKey(owner, identity, options), owner, client),
  }
}

function read({ status, headers, text }: TextResponse): ApiResponse {
  const json = headers.get('content-type')?.startsWith('application/json')
  return { status, body: json && text ? JSON.parse(text) : text, headers }
}

async function addKey(
  owner: pg.Pool,
  present: Identity,
  { scopes = ['*:*'], level = 'execute', role = 'client_admin', own }: KeyOptions = {},
): Promise<Identity> {
  const workspaceId = present.id
  const userId = own ? present.userId : await addMember(owner, workspaceId, role)
  const [keyId, unique] = [randomUUID(), randomBytes(4).toString('hex')]
  const { key, public_id } = newKey()
  await owner.query(
    'insert into api_keys (workspace_id, id, user_id, name, public_id, key_hash, scopes, level) values ($1, $2, $3, $4, $5, $6, $7, $8)',
    [workspaceId, keyId, userId, `Key ${unique}`, public_id, Buffer.from(await hashKey(key)), scopes, level],
  )
  return { id: workspaceId, userId, apiKey: key, keyId }
}

async function addMember(owner: pg.Pool, workspaceId: string, role: string): Promise<string> {
  const [userId, unique] = [randomUUID(), randomBytes(4).toString('hex')]
  await owner.query('insert into users (id, email, full_name) values ($1, $2, $3)', [
    userId,
    `member-${unique}@example.com`,
    `Member ${unique}`,
  ])
  await owner.query("insert into memberships (workspace_id, user_id, role, status) values ($1, $2, $3, 'active')", [
    workspaceId,
    userId,
    role,
  ])
  return userId
}
