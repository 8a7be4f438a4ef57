import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stop as stopEsbuild } from 'esbuild'
import { expect, test } from 'vitest'
import { createDatabase, dropDatabase, openPool } from '../database.ts'
import { bundleFrom } from '../global.ts'
import { start } from '../harness.ts'
import { copyOfProject, runIn } from '../project-copy.ts'
import { limit } from '../speed.ts'

const KIND = `import type { Kind } from '../../../../queues/work/kind.ts'

export const filesRecheck: Kind<{ source: string }> = {
  name: 'files.recheck',
  queue: 'IMPORTS',
  table: 'message_media',
  where: "t.status = 'failed'",
  writes: ['error'],
  lease: 60,
  atOnce: 2,
  claims: 3,
  retry: [60],
  async call({ item, attempts }) {
    if (item.source === 'broken') throw new Error('It is broken')
    return { results: { error: \`seen \${item.source}, \${attempts}\` }, wait: 3600 }
  },
  failed: (error, isLast) => ({ error: isLast ? \`given up: \${error}\` : error }),
}
`

/** A copy of the project, in which a kind is added as CONTRIBUTING.md says. */
function copyWithKind(): string {
  const folder = copyOfProject('kind')
  writeFileSync(join(folder, 'src/features/files/work/recheck-files.ts'), KIND)
  appendFileSync(join(folder, 'queues/kinds.ts'), "export * from '../src/features/files/work/recheck-files.ts'\n")
  return folder
}

const CONSTANTS =
  "import('./dev/sql-constants.ts').then(({ sqlConstants }) => process.stdout.write(Object.values(sqlConstants()).join('\\n')))"

test('a kind is a file and a line: what is due is found, claimed, done and repeated', { timeout: limit(120_000) }, async () => {
  const folder = copyWithKind()
  const database = await createDatabase()
  const owner = openPool(database.url, 1)
  await owner.query(runIn(folder, ['-e', CONSTANTS]))
  await owner.end()
  await bundleFrom(folder, join(folder, 'bundle'))
  // Its process would keep this one from ending.
  await stopEsbuild()
  const app = await start({ database, bundle: join(folder, 'bundle') })
  try {
    const ws = await app.workspace()
    await app.owner.query(
      `begin; set local session_replication_role = replica;
        insert into message_media (workspace_id, sms_message_id, source, status, due_at)
          select '${ws.id}', gen_random_uuid(), source, 'failed', now() from unnest(array['one', 'two', 'three', 'broken']) source; commit`,
    )
    const tick = async () => {
      await app.cron('* * * * *')
      await app.drain()
    }
    const rows = async () => {
      const text = 'select source, error, attempts, due_at is null as is_over from message_media where workspace_id = $1 order by source'
      return (await app.owner.query(text, [ws.id])).rows
    }
    await tick()
    const seen = ['one', 'three', 'two'].map((source) => ({ source, error: `seen ${source}, 1`, attempts: 0, is_over: false }))
    expect(await rows()).toEqual([{ source: 'broken', error: 'Error: It is broken', attempts: 1, is_over: false }, ...seen])
    await app.owner.query("update message_media set due_at = now() where source = 'broken'")
    await tick()
    expect(await rows()).toEqual([{ source: 'broken', error: 'given up: Error: It is broken', attempts: 2, is_over: true }, ...seen])
  } finally {
    await app.close()
    await dropDatabase(database)
    rmSync(folder, { recursive: true, force: true })
  }
})
