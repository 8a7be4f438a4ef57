import { parseArgs } from 'node:util'
import { createWorkspaces, fill } from './fill.ts'
import { runWorker, startStack } from './stack.ts'

/**
 * Measures the WAL of creating and of updating a contact through the API, by table with its indexes, beside that of a bare insert into a
 * table with the same indexes. With `--first SQL` another schema is measured, for example one without an index.
 */

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '3000' },
    creates: { type: 'string', default: '50' },
    first: { type: 'string', default: '' },
  },
})
const [ROWS, CREATES] = [Number(values.rows), Number(values.creates)]

const contact = (n: number) => ({
  first_name: 'Ana',
  last_name: `Lee${n}`,
  email: `ana${n}@example.com`,
  phone: `+61412${345_000 + n}`,
  city: 'Perth',
})

const stack = await startStack()
const client = await stack.owner.connect()
const worker = await runWorker('bench/bench-worker.ts', stack)
try {
  await client.query('create extension if not exists pg_walinspect')
  const [workspace] = await createWorkspaces(client)
  const { workspace_id: id, key } = workspace!
  await client.query(`select set_config('app.workspace_id', $1, false)`, [id])
  await fill(client, id, 0, ROWS)
  await client.query(values.first)

  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const send = async (method: string, path: string, body: object) => {
    const response = await fetch(new URL(path, worker.url), { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return JSON.parse(text).data.id as string
  }
  const made: string[] = []
  const create = async (n: number) => {
    made.push(await send('POST', '/v1/contacts', contact(n)))
  }
  const update = (n: number) => send('PATCH', `/v1/contacts/${made[n]}`, { city: `Albany ${n}` })
  await create(0)
  await update(0)
  const api = await walOf((n) => create(n + 1))
  const updated = await walOf((n) => update(n + 1))

  const { rows: unfolded } = await client.query('select count(*)::int from record_count_deltas where workspace_id = $1', [id])
  const folded = await walOf((n) => (n === 0 ? client.query('select fold_record_counts($1, 100000)', [id]) : Promise.resolve()))

  await client.query('create table bare (like contacts including all)')
  const { rows } = await client.query(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
      where attrelid = 'contacts'::regclass and attnum > 0 and attgenerated = ''`,
  )
  await client.query(`insert into bare (${rows[0].columns}) select ${rows[0].columns} from contacts`)
  const fields = Object.keys(contact(0))
  const insert = `insert into bare (${fields}) values (${fields.map((_, i) => `$${i + 1}`)})`
  const bare = await walOf((n) => client.query(insert, Object.values(contact(n + CREATES))))

  console.log(`${api.bytes} bytes a create, ${bare.bytes} a bare insert: ${(api.bytes / bare.bytes).toFixed(2)} times as much\n`)
  console.table(api.tables)
  console.log(`${updated.bytes} bytes an update`)
  console.table(updated.tables)
  console.log(
    `${Math.round((folded.bytes * CREATES) / unfolded[0].count)} bytes to fold each of ${unfolded[0].count} ` +
      'deltas of the counts of records',
  )
} finally {
  await worker.stop()
  client.release()
  await stack.stop()
}

/** Bytes per operation, in total and by table, without the full-page images that follow a checkpoint. */
async function walOf(act: (n: number) => Promise<unknown>) {
  const position = async () => (await client.query('select pg_current_wal_insert_lsn() as at')).rows[0].at as string
  const from = await position()
  for (let n = 0; n < CREATES; n++) await act(n)
  const to = await position()
  // Only WAL that is flushed to disk can be inspected.
  await client.query('checkpoint')
  const { rows } = await client.query(
    `select coalesce(t.relname, c.relname, 'transaction') as table, round(count(*) / $3::numeric, 1)::float as records,
     round(sum(record_length - fpi_length) / $3)::int as bytes
     from pg_get_wal_records_info($1, $2) r
     left join pg_class c on pg_relation_filenode(c.oid) = (regexp_match(block_ref, 'rel \\d+/\\d+/(\\d+)'))[1]::oid
       left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid
     group by 1 order by 3 desc`,
    [from, to, CREATES],
  )
  return { bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0), tables: rows }
}
