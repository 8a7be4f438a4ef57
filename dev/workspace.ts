import type pg from 'pg'
import { DEFAULT_STAGES } from '../src/domain/pipeline.ts'
import { hashKey, newKey } from '../src/lib/keys.ts'
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

const USAGE = `Usage: npm run workspace -- create "Name" --owner you@example.com [--owner-name "Your Name"]

Creates a workspace, its owner and a key, in the database of DATABASE_ADMIN_URL or that of "npm run dev".`

type Flags = { owner?: string | undefined; 'owner-name'?: string | undefined }

function readCommand(flags: Flags, [command, name, ...rest]: string[]): { name: string; ownerEmail: string; ownerName: string } {
  const ownerEmail = flags.owner?.trim()
  if (command !== 'create') throw new Complaint(USAGE)
  if (rest.length) throw new Complaint(`Put the name in quotes: unexpected "${rest.join(' ')}".\n${USAGE}`)
  if (!name?.trim()) throw new Complaint(`The workspace needs a name.\n${USAGE}`)
  if (!ownerEmail) throw new Complaint(`The workspace needs an owner.\n${USAGE}`)
  if (ownerEmail.length > 254 || !/^[^\s@<>,;]+@[^\s@<>,;]+\.[a-z0-9-]{2,}$/i.test(ownerEmail)) {
    throw new Complaint(`"${ownerEmail}" is not an email address.`)
  }
  return { name: name.trim(), ownerEmail, ownerName: flags['owner-name']?.trim() || ownerEmail.split('@')[0]! }
}

const options = { owner: { type: 'string' }, 'owner-name': { type: 'string' } } as const
await program(import.meta, { usage: USAGE, options, words: true }, async (flags, words) => {
  const command = readCommand(flags, words)
  const client = await connectAsOwner(ownerUrl())
  try {
    const made = await createWorkspace(client, command)
    console.log(`workspace  ${made.workspace_id}\nowner      ${made.user_id}\nkey        ${made.key}\n\nThe key is shown only this once.`)
  } catch (error) {
    // undefined_function: the migrations have not run.
    if ((error as { code?: string }).code === '42883') throw new Complaint('This database has no tables yet: run "npm run migrate" first.')
    throw error
  } finally {
    await client.end()
  }
})
