import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { completeMigration, type Snapshot } from './generate/complete.ts'
import { program } from './program.ts'
import { registrations } from './registrations.ts'
import { Complaint, root } from './settings.ts'

type MigrationList = { entries: { idx: number; when: number; tag: string }[] }

const INDEX = join(root, 'schema/index.ts')
const DRIZZLE_KIT = join(root, 'node_modules/drizzle-kit/bin.cjs')

/**
 * Writes the migration from the newest one to the tables of `schema/*.ts`, and the lists that follow from tables and features. Returns the
 * files that it wrote, none if nothing has changed, and notes for the developer. When it fails, it leaves no file behind.
 */
async function generate(name: string): Promise<{ files: string[]; notes: string[] }> {
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    throw new Complaint(`"${name}" is not a name of a migration: use lower-case letters, digits and "_".`)
  const migrations = join(root, 'schema/migrations')
  const listFile = join(migrations, 'meta/_journal.json')
  const listText = readFileSync(listFile, 'utf8')
  const newest = (JSON.parse(listText) as MigrationList).entries.at(-1) as MigrationList['entries'][number]
  const present = filesIn(migrations)
  const indexText = readFileSync(INDEX, 'utf8')
  try {
    const index = indexOfTables()
    const listed = index === indexText ? [] : ['schema/index.ts']
    writeFileSync(INDEX, index)
    // drizzle-kit asks whether a column was renamed, so it gets the terminal.
    const { status } = spawnSync(process.execPath, [DRIZZLE_KIT, 'generate', '--name', name], { cwd: root, stdio: 'inherit' })
    if (status !== 0) throw new Complaint('drizzle-kit could not compare the tables: see its message above.')
    const written = filesIn(migrations).filter((file) => !present.includes(file))
    const migration = written.find((file) => file.endsWith('.sql'))
    if (!migration) return { files: [...listed, ...(await writeLists())], notes: [] }
    const snapshots = [present, written].map((files) => files.findLast((file) => file.endsWith('_snapshot.json')) as string)
    const [before, after] = snapshots.map((file) => JSON.parse(readFileSync(join(migrations, file), 'utf8'))) as [Snapshot, Snapshot]
    const { sql, indexes, notes } = completeMigration(readFileSync(join(migrations, migration), 'utf8'), before, after)
    const lists = [...listed, ...(await writeLists())]
    rmSync(join(migrations, migration))
    const named = [
      { tag: name, text: sql },
      { tag: `${name}_indexes`, text: indexes },
    ]
    const numbered = register(
      listFile,
      newest,
      named.filter(({ text }) => text),
    )
    for (const { tag, text } of numbered) writeFileSync(join(migrations, `${tag}.sql`), text)
    // Only the newest snapshot is compared with.
    rmSync(join(migrations, snapshots[0] as string))
    const files = [...numbered.map(({ tag }) => `${tag}.sql`), snapshots[1]].map((file) => `schema/migrations/${file}`)
    return { files: [...files, ...lists], notes }
  } catch (error) {
    for (const file of filesIn(migrations)) if (!present.includes(file)) rmSync(join(migrations, file))
    writeFileSync(listFile, listText)
    writeFileSync(INDEX, indexText)
    throw error
  }
}

/** Lists the migrations after the newest one in the place of drizzle-kit's, and returns them with their number before their tag. */
function register(listFile: string, newest: MigrationList['entries'][number], named: { tag: string; text: string }[]) {
  const list = JSON.parse(readFileSync(listFile, 'utf8')) as MigrationList
  const [written] = list.entries.splice(-1)
  const numbered = named.map(({ tag, text }, part) => {
    const idx = newest.idx + 1 + part
    // Migrations run in the order of `when`, which therefore follows the newest migration instead of the clock.
    return { idx, when: newest.when + (part + 1) * 1000, tag: `${String(idx).padStart(4, '0')}_${tag}`, text }
  })
  list.entries.push(...numbered.map(({ idx, when, tag }) => ({ ...written, idx, when, tag })))
  writeFileSync(listFile, `${JSON.stringify(list, null, 2)}\n`)
  return numbered
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => existsSync(join(folder, file)) && /\.(?:sql|json)$/.test(file) && !file.endsWith('_journal.json'))
    .map((file) => file.replaceAll('\\', '/'))
    .sort()

/** Writes the generated lists that differ, and returns their paths. */
async function writeLists(): Promise<string[]> {
  const texts = Object.entries(await registrations())
  const changed = texts.filter(([file, text]) => readFileSync(join(root, file), 'utf8') !== text)
  for (const [file, text] of changed) writeFileSync(join(root, file), text)
  return changed.map(([file]) => file)
}

/** The text of schema/index.ts, which has the tables of all files. */
function indexOfTables(): string {
  const names = readdirSync(join(root, 'schema')).flatMap((file) => /^(?!index|columns)(.+)\.ts$/.exec(file)?.[1] ?? [])
  return names
    .sort()
    .map((name) => `export * from './${name}.ts'\n`)
    .join('')
}

const usage = `Usage: npm run generate -- <name>

Writes the migration from the newest one to the tables in schema/.`

await program(import.meta, { usage, words: true }, async (_, [name, ...others]) => {
  if (!name || others.length > 0) throw new Complaint('Name the migration: npm run generate -- <name>')
  const { files, notes } = await generate(name)
  console.log(files.length > 0 ? ['Written:', ...files.map((file) => `  ${file}`), ...notes].join('\n') : 'No migration is needed.')
})
