import { join } from 'node:path'
import pg from 'pg'
import { Complaint } from './settings.ts'

/** pgvector itself, or types and operators in SQL that find the same, only more slowly. */
export type Vectors = 'pgvector' | 'stand-in'

/** pgvector is in this repository for Linux on x64 (dev/pg-extensions/make.ts). */
export const VECTORS: Vectors = process.platform === 'linux' && process.arch === 'x64' ? 'pgvector' : 'stand-in'

export const STAND_IN_NOTICE =
  'Vectors are searched by a stand-in for pgvector, which is in this repository for Linux on x64 only: results are the same, but slower.'

const folder = join(import.meta.dirname, 'pg-extensions')

/** The settings with which the server finds the extension. */
export function extensionConfig(vectors = VECTORS): string[] {
  if (vectors === 'stand-in') return [`extension_control_path=${join(folder, 'stand-in')}:$system`]
  const dir = join(folder, 'linux-x64')
  return [`extension_control_path=${dir}:$system`, `dynamic_library_path=${join(dir, 'lib')}:$libdir`]
}

/** Refuses a database whose vectors the other of the two has stored: their types have different forms. */
export async function checkVectors(url: string, vectors = VECTORS): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select l.lanname = 'c' as real from pg_type t join pg_proc p on p.oid = t.typinput join pg_language l on l.oid = p.prolang
        where t.typname = 'vector'`,
    )
    if (rows.length === 0 || rows[0].real === (vectors === 'pgvector')) return
    throw new Complaint(
      `The database in .data/ was made with ${rows[0].real ? 'pgvector' : 'a stand-in for pgvector'}, which this machine does not use: ` +
        '"npm run dev -- --reset" makes a new one, without its data.',
    )
  } finally {
    await client.end()
  }
}
