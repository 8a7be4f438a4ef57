import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { checkVectors, VECTORS, type Vectors } from '../../dev/extensions.ts'
import { type Postgres, startPostgres } from '../../dev/postgres.ts'
import { root } from '../../dev/settings.ts'

const kinds: Vectors[] = VECTORS === 'pgvector' ? ['pgvector', 'stand-in'] : ['stand-in']
const servers: Postgres[] = []
const dir = mkdtempSync(join(inject('scratch'), `workspace-crm-test-${process.pid}-vectors-`))
// Readable for the user that the server may run as.
chmodSync(dir, 0o755)
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  rmSync(dir, { recursive: true, force: true })
})

test('whoever integrates changes uses pgvector itself', () => {
  expect(process.env.CI ? VECTORS : 'pgvector').toBe('pgvector')
})

test('the files of pgvector are those whose digests the repository has', () => {
  const folder = join(root, 'dev/pg-extensions/linux-x64')
  const lines = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')
  expect(lines).toHaveLength(3)
  for (const [digest, name] of lines.map((line) => line.split('  '))) {
    expect(
      createHash('sha256')
        .update(readFileSync(join(folder, name!)))
        .digest('hex'),
      name,
    ).toBe(digest)
  }
})

describe.each(kinds)('%s', (vectors) => {
  test('stores vectors of half precision and finds the nearest ones exactly', async () => {
    const server = await startPostgres(join(dir, vectors), { durable: false, vectors })
    servers.push(server)
    const url = server.url('postgres')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query('create extension vector')
      await client.query('create table v (id int, e halfvec(3))')
      await client.query(`insert into v values (1, '[1,0,0]'), (2, '[0.6,0.8,0]'), (3, '[-1,0,0]')`)
      const { rows } = await client.query(
        `select id, round((e <=> '[1,0.1,0]')::numeric, 2)::float8 as distance from v order by e <=> '[1,0.1,0]'`,
      )
      expect(rows).toEqual([
        { id: 1, distance: 0 },
        { id: 2, distance: 0.32 },
        { id: 3, distance: 2 },
      ])
      await expect(client.query(`insert into v values (4, '[1,2]')`)).rejects.toThrow('expected 3 dimensions, not 2')
    } finally {
      await client.end()
    }
    await expect(checkVectors(url, vectors)).resolves.toBeUndefined()
    await expect(checkVectors(url, vectors === 'pgvector' ? 'stand-in' : 'pgvector')).rejects.toThrow(
      '"npm run dev -- --reset" makes a new one',
    )
  })
})
