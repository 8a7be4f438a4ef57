import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startStack } from './stack.ts'

/**
 * Compares two places for what the background knows of an item: columns of its own row, as it is, and a table `work` with a row for each
 * item. Writers in one workspace have items done, and claim and end what is due. It measures WAL, time and deadlocks, and what the tick
 * reads after many items have ended beside an open transaction.
 */

const { values } = parseArgs({
  options: {
    writers: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '150' },
    ended: { type: 'string', default: '100000' },
  },
})
const [WRITERS, ROUNDS, ENDED] = [Number(values.writers), Number(values.rounds), Number(values.ended)]
const ITEMS = 500
const WORKSPACE = randomUUID()

/** The subjects, with a column that an outcome changes. */
const SUBJECTS = { mailboxes: 'cursor', notetakers: 'bot_id' }
type Subject = keyof typeof SUBJECTS
type Place = { wake: string; claim: string; end: string; due: string }

const placesOf = (subject: Subject): Record<'columns' | 'table', Place> => ({
  columns: {
    wake: `update ${subject}_a set due_at = now() where workspace_id = $1 and id = $2`,
    claim: `with due as (select id from ${subject}_a
        where workspace_id = $1 and due_at <= now() and (claimed_until is null or claimed_until <= now())
        order by due_at, id limit 1 for update skip locked)
      update ${subject}_a t set claim_id = $2, claimed_until = now() + interval '2 minutes', due_at = now() + interval '2 minutes',
        attempts = attempts + 1,
        turn = turn + 1 from due where t.workspace_id = $1 and t.id = due.id returning t.id`,
    end: `update ${subject}_a
      set ${SUBJECTS[subject]} = $4, claim_id = null, claimed_until = null, attempts = 0, due_at = now() + interval '5 minutes'
      where workspace_id = $1 and id = $2 and claim_id = $3`,
    due: `select workspace_id, due_at from ${subject}_a where due_at <= now() order by due_at, workspace_id limit 1000`,
  },
  table: {
    wake: `insert into work as w (workspace_id, kind, key, due_at) values ($1, '${subject}', $2, now())
      on conflict (workspace_id, kind, key) do update set due_at = now(), turn = w.turn + 1`,
    claim: `with due as (select key from work where workspace_id = $1 and kind = '${subject}' and due_at <= now()
          and (claimed_until is null or claimed_until <= now()) order by due_at, key limit 1 for update skip locked)
      update work t set claim_id = $2, claimed_until = now() + interval '2 minutes', due_at = now() + interval '2 minutes',
        attempts = attempts + 1,
        turn = turn + 1 from due where t.workspace_id = $1 and t.kind = '${subject}' and t.key = due.key returning t.key as id`,
    end: `with subject as (update ${subject}_b set ${SUBJECTS[subject]} = $4 where workspace_id = $1 and id = $2)
      update work set claim_id = null, claimed_until = null, attempts = 0, due_at = now() + interval '5 minutes'
      where workspace_id = $1 and kind = '${subject}' and key = $2 and claim_id = $3`,
    due: `select workspace_id, due_at from work where kind = '${subject}' and due_at <= now() order by due_at, workspace_id limit 1000`,
  },
})

const stack = await startStack()
const pool = new pg.Pool({ ...stack.owner.options, max: WRITERS + 2 })
// The server is stopped before the pool has ended.
pool.on('error', () => {})
const rowsOf = async (text: string, parameters: unknown[] = []) => (await pool.query(text, parameters)).rows

await pool.query(`create table work (workspace_id uuid not null, kind text not null, key uuid not null, due_at timestamptz,
    turn int not null default 0,
    claim_id uuid, claimed_until timestamptz, attempts int not null default 0, primary key (workspace_id, kind, key));
  create index work_due on work (kind, due_at, workspace_id) where due_at is not null;
  create index work_due_of on work (workspace_id, kind, due_at, key) where due_at is not null`)
for (const subject of Object.keys(SUBJECTS)) {
  await pool.query(`create table ${subject}_a (like ${subject} including all); create table ${subject}_b (like ${subject} including all)`)
  for (const { indexname } of await rowsOf(
    `select indexname from pg_indexes where tablename = '${subject}_b' and indexdef like '%due_at%'`,
  ))
    await pool.query(`drop index ${indexname}`)
}

/** The columns of the rows that have no default. */
const FILLING: Record<Subject, string> = {
  mailboxes: `(workspace_id, user_id, provider, account_email, account_id, due_at)
    select $1, gen_random_uuid(), 'gmail', n || '@example.com', n::text, null::timestamptz from generate_series(1, $2::int) n`,
  notetakers: `(workspace_id, booking_id, meeting_url, join_at, ends_at, limit_minutes, due_at)
    select $1, gen_random_uuid(), 'https://meet.example/' || n, now(), now(), 60, null::timestamptz from generate_series(1, $2::int) n`,
}

async function workload(subject: Subject, name: 'columns' | 'table'): Promise<void> {
  const table = `${subject}_${name === 'columns' ? 'a' : 'b'}`
  const ids = (await rowsOf(`insert into ${table} ${FILLING[subject]} returning id`, [WORKSPACE, ITEMS])).map(({ id }) => id as string)
  const { wake, claim, end } = placesOf(subject)[name]
  const [{ lsn }] = await rowsOf('select pg_current_wal_insert_lsn() as lsn')
  const times: number[] = []
  let deadlocks = 0
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let round = 0; round < ROUNDS; round++) {
        const began = performance.now()
        try {
          await rowsOf(wake, [WORKSPACE, ids[(writer * 31 + round * 17) % ITEMS]])
          const as = randomUUID()
          for (const { id } of await rowsOf(claim, [WORKSPACE, as])) await rowsOf(end, [WORKSPACE, id, as, `${writer}-${round}`])
        } catch (error) {
          if ((error as { code?: string }).code !== '40P01') throw error
          deadlocks++
        }
        times.push(performance.now() - began)
      }
    }),
  )
  const [{ bytes }] = await rowsOf('select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float as bytes', [lsn])
  times.sort((a, b) => a - b)
  const p95 = times[Math.floor(times.length * 0.95)] as number
  console.log(`${subject} ${name}: ${Math.round(bytes / times.length)} bytes of WAL, p95 ${p95.toFixed(1)} ms, ${deadlocks} deadlocks`)
}

/** The blocks of the tick after many items have been done and ended, which an open transaction keeps from being removed. */
async function afterMany(subject: Subject, name: 'columns' | 'table'): Promise<void> {
  const open = await pool.connect()
  await open.query('begin isolation level repeatable read; select txid_current()')
  if (name === 'columns') {
    await pool.query(`insert into ${subject}_a ${FILLING[subject].replace('null::timestamptz', "now() - interval '1 day'")}`, [
      randomUUID(),
      ENDED,
    ])
    await pool.query(`update ${subject}_a set due_at = null where due_at < now() - interval '1 hour'`)
  } else {
    await pool.query(
      `insert into work (workspace_id, kind, key, due_at) select $1, '${subject}', gen_random_uuid(), now() - interval '1 day'
        from generate_series(1, $2::int)`,
      [randomUUID(), ENDED],
    )
    await pool.query(`delete from work where due_at < now() - interval '1 hour'`)
  }
  const blocks: number[] = []
  for (let n = 0; n < 2; n++) {
    const [{ 'QUERY PLAN': plan }] = await rowsOf(`explain (analyze, buffers, format json) ${placesOf(subject)[name].due}`)
    blocks.push(plan[0].Plan['Shared Hit Blocks'] + plan[0].Plan['Shared Read Blocks'])
  }
  await open.query('commit')
  open.release()
  console.log(`${subject} ${name}: the tick reads ${blocks.join(', then ')} blocks after ${ENDED} items have ended`)
}

for (const measure of [workload, afterMany])
  for (const subject of Object.keys(SUBJECTS) as Subject[]) for (const name of ['columns', 'table'] as const) await measure(subject, name)
await pool.end()
await stack.stop()
