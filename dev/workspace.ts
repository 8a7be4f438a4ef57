import type pg from 'pg'
import { DEFAULT_STAGES } from '../src/features/pipelines/rules/pipeline.ts'
import { hashKey, newKey } from '../src/lib/keys.ts'
import { AGENCY_OPTIONS, type AgencyOptions, changeAgency, makeAgency, readAgency, readAgencyChange } from './agency/agency.ts'
import { connectAsOwner, ownerUrl } from './owner.ts'
import { program } from './program.ts'
import { Complaint } from './settings.ts'

export interface NewWorkspace {
  workspace_id: string
  user_id: string
  key_id: string
  /** The key is shown only once, because the database stores its hash. */
  key: string
}

/** Creates a workspace with its owner and that owner's first key. */
export async function createWorkspace(
  database: pg.ClientBase | pg.Pool,
  { name, ownerEmail, ownerName }: { name: string; ownerEmail: string; ownerName: string },
): Promise<NewWorkspace> {
  const { key, public_id } = newKey()
  const { rows } = await database.query('select create_workspace($1, $2, $3, $4, $5, $6) as made', [
    name,
    ownerEmail,
    ownerName,
    public_id,
    Buffer.from(await hashKey(key)),
    JSON.stringify(DEFAULT_STAGES),
  ])
  return { ...rows[0].made, key }
}

/**
 * Creates a key for a member, as if the member had made it: it leads into the member's mailbox, which no key does that another member has
 * made.
 */
export async function createOwnKey(database: pg.ClientBase | pg.Pool, { workspaceId, email }: { workspaceId: string; email: string }) {
  const { key, public_id } = newKey()
  const { rows } = await database.query(
    `with named as (select set_config('app.workspace_id', $1, true) as id)
     insert into api_keys (workspace_id, user_id, name, public_id, key_hash, scopes)
       select m.workspace_id, m.user_id, 'Own key', $3, $4, '{*:*}' from named, memberships m join users u on u.id = m.user_id
         where m.workspace_id = named.id::uuid and u.email = lower(btrim($2)) and m.status = 'active' returning id`,
    [workspaceId, email, public_id, Buffer.from(await hashKey(key))],
  )
  if (rows.length === 0) throw new Complaint('No active member of this workspace has this email address.')
  return { key_id: rows[0].id as string, key }
}

/**
 * Lets the members with a role read or send what is in all mailboxes of the workspace (personal-email:read, personal-email:send), or
 * neither.
 */
export const setPersonalScopes = (database: pg.ClientBase | pg.Pool, workspaceId: string, role: string, scopes: string[]) =>
  database.query('select set_personal_scopes($1, $2, $3)', [workspaceId, role, scopes])

const USAGE = `Usage: npm run workspace -- create "Name" --owner you@example.com [--owner-name "Your Name"]
           [--agency [--commission 20] [--currency AUD] [--signup-link https://…] [--since 2026-01]]
       npm run workspace -- agency <workspace id> [--commission 20] [--currency AUD] [--signup-link https://… or none]
       npm run workspace -- key <workspace id> --member somebody@example.com
       npm run workspace -- mailboxes <workspace id> --role <key of a role> [--may read] [--may send]

Creates a workspace, its owner and a key; changes what an agency gets; creates a key of a member; \
or decides which role may read and send what
is in all mailboxes. It works in the database of DATABASE_ADMIN_URL or that of "npm run dev".`

const OPTIONS = {
  owner: { type: 'string' },
  agency: { type: 'boolean' },
  ...AGENCY_OPTIONS,
  'owner-name': { type: 'string' },
  member: { type: 'string' },
  role: { type: 'string' },
  may: { type: 'string', multiple: true },
} as const
type Options = AgencyOptions & { agency?: boolean; owner?: string; 'owner-name'?: string; member?: string; role?: string; may?: string[] }
type Command = (database: pg.ClientBase) => Promise<string>

function readCommand(options: Options, [command = '', name, ...rest]: string[]): Command {
  const read = { create: readNew, agency: readChangedAgency, key: readKey, mailboxes: readMailboxes }[command]
  if (!read) throw new Complaint(USAGE)
  if (rest.length) throw new Complaint(`Put the name in quotes: unexpected "${rest.join(' ')}".\n${USAGE}`)
  if (!name?.trim()) throw new Complaint(`The workspace needs a name.\n${USAGE}`)
  return read(name.trim(), options)
}

function readNew(name: string, options: Options): Command {
  const ownerEmail = options.owner?.trim()
  if (!ownerEmail) throw new Complaint(`The workspace needs an owner.\n${USAGE}`)
  if (ownerEmail.length > 254 || !/^[^\s@<>,;]+@[^\s@<>,;]+\.[a-z0-9-]{2,}$/i.test(ownerEmail)) {
    throw new Complaint(`"${ownerEmail}" is not an email address.`)
  }
  const ownerName = options['owner-name']?.trim() || ownerEmail.split('@')[0]!
  const agency = options.agency ? readAgency(options, new Date()) : undefined
  return async (database) => {
    const made = await createWorkspace(database, { name, ownerEmail, ownerName })
    if (agency) await makeAgency(database, made.workspace_id, agency)
    return `workspace  ${made.workspace_id}\nowner      ${made.user_id}\nkey        ${made.key}\n\nThe key is shown only this once.`
  }
}

function readChangedAgency(workspaceId: string, options: Options): Command {
  const change = readAgencyChange(options)
  return async (database) => {
    await changeAgency(database, workspaceId, change)
    return `changed    ${workspaceId}`
  }
}

function readKey(workspaceId: string, { member }: Options): Command {
  if (!member?.trim()) throw new Complaint(`The key needs a member.\n${USAGE}`)
  return async (database) => {
    const made = await createOwnKey(database, { workspaceId, email: member })
    return `key        ${made.key}\n\nThe key is shown only this once. Give it to nobody but the member.`
  }
}

const MAY = ['read', 'send']
function readMailboxes(workspaceId: string, { role, may = [] }: Options): Command {
  if (!role?.trim()) throw new Complaint(`Name the role that reads mailboxes, or does no longer.\n${USAGE}`)
  const unknown = may.find((action) => !MAY.includes(action))
  if (unknown !== undefined) throw new Complaint(`--may is read or send, not "${unknown}".\n${USAGE}`)
  return async (database) => {
    const scopes = may.map((action) => `personal-email:${action}`)
    await setPersonalScopes(database, workspaceId, role.trim(), scopes)
    return (
      `Members with the role ${role.trim()} ` +
      `${may.length > 0 ? `may ${may.join(' and ')} what is in all mailboxes` : 'have no right to the mailboxes of others'}.`
    )
  }
}

await program(import.meta, { usage: USAGE, options: OPTIONS, words: true }, async (flags, words) => {
  const command = readCommand(flags, words)
  const client = await connectAsOwner(ownerUrl())
  try {
    console.log(await command(client))
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    // What the database refuses, and an id that is none.
    if (code === 'WK000' || code === '22P02') throw new Complaint(message)
    // undefined_function: the migrations have not run.
    if (code === '42883') throw new Complaint('This database has no tables yet: run "npm run migrate" first.')
    throw error
  } finally {
    await client.end()
  }
})
