import { expect, test } from 'vitest'
import { type Row, useCrm } from './crm.ts'
import { everythingOf, merge, undo } from './merging.ts'

const crm = useCrm()

/** A winner and losers with `children` rows each, in five tables. */
async function many(losers: number, children: number): Promise<{ winner: string; losers: string[] }> {
  const [winner, ...rest] = (
    await Promise.all(
      Array.from({ length: Math.ceil((losers + 1) / 100) }, (_, page) =>
        crm.ws.post('/opportunities/bulk-create', {
          records: Array.from({ length: Math.min(100, losers + 1 - page * 100) }, (_, i) => ({ name: `Deal ${page} ${i}` })),
        }),
      ),
    )
  ).flatMap(({ body }) => body.data.results.map(({ id }: Row) => id))
  const client = await crm.app.owner.connect()
  try {
    await client.query("select set_config('app.workspace_id', $1, false)", [crm.ws.id])
    const each = (columns: string, values: string) =>
      `insert into ${columns} select ${values} from unnest($1::uuid[]) o, generate_series(1, ${Math.ceil(children / 5)}) n`
    for (const insert of [
      each('tasks (title, opportunity_id)', "'Task ' || n, o"),
      each('activities (activity_type, deal_id, body)', "'note', o, 'Note ' || n"),
      each('opportunity_products (name, opportunity_id, position)', "'Line ' || n, o, n"),
      each('opportunity_buckets (name, opportunity_id, position)', "'Bucket ' || n, o, n"),
      each('attachments (name, opportunity_id, content_type, size, sha256)', "'File ' || n, o, 'text/plain', 1, ''"),
    ])
      await client.query(insert, [rest])
    await client.query(
      'update opportunity_products p set bucket_id = b.id from opportunity_buckets b where b.opportunity_id = p.opportunity_id and b.position = p.position',
    )
  } finally {
    client.release()
  }
  return { winner, losers: rest }
}

test('a merge of 100 opportunities with 50 rows each', async () => {
  const { winner, losers } = await many(100, 50)
  await crm.app.drain()
  const before = await everythingOf(crm)
  let t = Date.now()
  await merge(crm, 'opportunities', winner, losers, { preview: true })
  console.log('preview', Date.now() - t)
  t = Date.now()
  const done = await merge(crm, 'opportunities', winner, losers)
  console.log('merge', Date.now() - t)
  console.log(done.moved, done.dropped)
  await crm.app.drain()
  t = Date.now()
  const undone = await undo(crm, 'opportunities', done.merge_id)
  console.log('undo', Date.now() - t)
  expect(undone.changed_since).toEqual([])
  expect(await everythingOf(crm)).toEqual(before)
}, 60_000)
