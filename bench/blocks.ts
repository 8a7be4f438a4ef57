import { parseArgs } from 'node:util'
import type pg from 'pg'
import type { NeonQuery } from '../dev/neon-proxy.ts'
import { RawJsonBody } from '../src/data/json-body.ts'
import { execute } from '../src/http/execute.ts'
import { type Case, casesFor, cursorAt, type Kind } from './cases.ts'
import { createWorkspaces, fill, withoutIndexes } from './fill.ts'
import { blocksOf, explain, scansOf } from './plans.ts'
import { samplesOf } from './samples.ts'
import { type Stack, startStack } from './stack.ts'

/**
 * Measures the blocks of the database that a page of each list reads, in workspaces of each size and beside another workspace as large as
 * the largest. The statements are those of the Worker, and run as its role.
 */

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,100000,1000000' },
    only: { type: 'string' },
    limits: { type: 'string', default: '10,50' },
    plans: { type: 'boolean' },
    keep: { type: 'string' },
  },
})
const SIZES = flags.sizes.split(',').map(Number)
const LIMITS = flags.limits.split(',').map(Number)
/** The blocks that a page may read in addition to one per row: the levels of one or two indexes. */
const SMALL = 12

interface Measured {
  kind: Kind
  rows: number
  blocks: number
  scans: string[]
}
interface Workspace {
  id: string
  keyHash: string
  size: number
}

/** Finds the middle of a query's results once. */
const middles = new Map<string, Promise<string | undefined>>()
const results = new Map<string, Map<string, Measured>>()

async function measureAll(stack: Stack): Promise<void> {
  const client = await stack.owner.connect()
  const app = await stack.app.connect()
  try {
    for (const workspace of await workspacesOf(client)) await measureOne(stack, client, app, workspace)
  } finally {
    client.release()
    app.release()
  }
}

const NEIGHBOUR = 'Neighbour'
const nameOf = (size: number) => `Of ${size}`

/** Returns the workspaces. A folder that was kept has them already. */
async function workspacesOf(client: pg.PoolClient): Promise<Workspace[]> {
  const known = async () =>
    (
      await client.query<{ id: string; name: string; key_hash: string }>(
        `select w.id, w.name, encode(k.key_hash, 'hex') as key_hash from workspaces w join api_keys k on k.workspace_id = w.id`,
      )
    ).rows
  if ((await known()).length === 0) {
    const started = Date.now()
    const made = await createWorkspaces(client, [...SIZES.map(nameOf), NEIGHBOUR])
    await withoutIndexes(client, async () => {
      for (const [at, size] of [...SIZES, SIZES.at(-1)!].entries()) await fill(client, made[at]!.workspace_id, 0, size)
    })
    await client.query('vacuum analyze')
    console.log(`Loaded in ${Math.round((Date.now() - started) / 1000)} s`)
  }
  const found = await known()
  return SIZES.map((size) => {
    const one = found.find(({ name }) => name === nameOf(size))
    if (!one) throw new Error(`The kept database has no workspace of ${size}`)
    return { id: one.id, keyHash: one.key_hash, size }
  })
}

async function measureOne(stack: Stack, client: pg.PoolClient, app: pg.PoolClient, workspace: Workspace): Promise<void> {
  await client.query(`select set_config('app.workspace_id', $1, false)`, [workspace.id])
  const { cases, unknown } = casesFor(await samplesOf(client), flags.only)
  if (workspace.size === SIZES[0] && unknown.length > 0) console.log(`No value to ask for: ${unknown.join(', ')}\n`)
  for (const one of cases) {
    for (const limit of LIMITS) {
      await measure(stack, app, workspace, one, limit).catch((error) =>
        console.log(`${one.label}: ${error.message} ${JSON.stringify(error.details ?? '')}`),
      )
    }
  }
}

async function measure(stack: Stack, app: pg.PoolClient, workspace: Workspace, one: Case, limit: number) {
  const { label, kind, endpoint, params, query, middle } = one
  const { size, keyHash } = workspace
  const ask = async (more: Record<string, string>) => {
    let sent: NeonQuery[] = []
    stack.proxy.onRequest = (request) => {
      sent = 'queries' in request ? request.queries : [request]
    }
    const input = { params, query: { ...query, limit: String(limit), ...more }, body: undefined }
    const outcome = await execute(
      { url: stack.vars.DATABASE_URL!, proxy: stack.vars.NEON_PROXY! },
      { endpoint, caller: { kind: 'key', key_hash: keyHash }, input, requestId: 'bench', now: new Date(), appUrl: '' },
    )
    stack.proxy.onRequest = undefined
    const { value } = outcome
    const body =
      value instanceof RawJsonBody
        ? JSON.parse(value.text)
        : { data: (value as { items: unknown[] }).items, page: value as { next: string | null } }
    return { statements: sent, items: body.data as { id?: string }[], next: body.page.next as string | null }
  }
  let page = await ask({})
  if (middle) {
    if (!page.next) return
    const known = middles.get(`${size} ${label}`) ?? middleOf(stack, workspace.id, page.next, page.statements.at(-1)!)
    middles.set(`${size} ${label}`, known)
    const after = await known
    if (!after) return
    page = await ask({ after })
  }
  const measured: Measured = { kind, rows: page.items.length, blocks: 0, scans: [] }
  for (const plan of await explain(app, page.statements)) {
    measured.blocks += blocksOf(plan)
    measured.scans.push(...scansOf(plan))
    if (flags.plans && size === SIZES.at(-1)) console.log(label, limit, JSON.stringify(plan, shown))
  }
  const line = `${label} limit=${limit}`
  if (!results.has(line)) results.set(line, new Map())
  results.get(line)!.set(String(size), measured)
}

/** The properties of a plan that show its shape and its blocks. */
const shown = (name: string, value: unknown) =>
  /^(Output|Parallel|Async|Startup|Total|Plan (Rows|Width)|Actual (Startup|Total)|Local|Temp|Shared (Dirt|Writ))/.test(name)
    ? undefined
    : value

/** Returns a cursor to the middle: the sort values there, read with the statement's own select without its limit. */
async function middleOf(
  { owner }: Stack,
  workspaceId: string,
  next: string,
  { query, params = [] }: NeonQuery,
): Promise<string | undefined> {
  const select = innerSelect(query)
  if (!select) return undefined
  const { text, columns } = select
  // Renumbers the placeholders, because those outside the select were removed.
  const places = [...new Set([...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))]
  const all = text
    .replace(/ limit (\$\d+)$/, ' limit 1000000000 + 0 * $1::bigint')
    .replace(/\$(\d+)/g, (_, n) => `$${places.indexOf(Number(n)) + 1}`)
  const found = `found as materialized (select ${columns.slice(-2).join(', ')} from (${all}) as q(${columns.join(', ')}))`
  const client = await owner.connect()
  try {
    await client.query('begin')
    await client.query(`select set_config('app.workspace_id', $1, true)`, [workspaceId])
    await client.query('set local role app')
    const half = `with ${found} select to_json(${columns.at(-2)}) as key, ${columns.at(-1)} as id
      from found offset (select count(*) / 2 from found) limit 1`
    const { rows } = await client.query(
      half,
      places.map((place) => params[place - 1]),
    )
    return rows[0] && cursorAt(next, rows[0].key, rows[0].id)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** The select in `… from (select …) as a(c0, c1, …)`. */
function innerSelect(query: string): { text: string; columns: string[] } | undefined {
  const named = /\) (?:as )?\w+\((c0\b[^)]*)\)/.exec(query)
  if (!named) return undefined
  let depth = 1
  let at = named.index
  while (depth > 0 && at > 0) depth += query[--at] === ')' ? 1 : query[at] === '(' ? -1 : 0
  return { text: query.slice(at + 1, named.index), columns: named[1]!.split(', ') }
}

function report(): void {
  const lines = [...results].map(([label, sizes]) => {
    const found = SIZES.map((size) => sizes.get(String(size)))
    const known = found.filter((one) => one !== undefined)
    const beyond = Math.max(...known.map(({ blocks, rows }) => blocks - rows))
    const scans = [...new Set(known.flatMap(({ scans }) => scans))]
    const [before, last] = found.slice(-2)
    const growth = before && last && before.rows === last.rows ? `x${(last.blocks / before.blocks).toFixed(2)}` : ''
    const shown = found.map((one) => (one ? `${one.blocks} (${one.rows})` : '-').padStart(14)).join('')
    const text = `${label.padEnd(76)}${shown} ${growth.padStart(7)}${scans.length > 0 ? `  scans ${scans}` : ''}`
    return { kind: known[0]!.kind, flat: beyond <= SMALL && scans.length === 0, text }
  })
  const show = (title: string, of: typeof lines) => {
    console.log(`\n${title} (${of.length})`)
    for (const { text } of of) console.log(text)
  }
  console.log(`\nBlocks touched (rows answered) with ${SIZES.join(', ')} rows, and the growth to the last size.`)
  console.log(`Flat: at every size at most one block for each row and ${SMALL} more, and no sequential scan.`)
  show(
    'Not flat',
    lines.filter(({ kind, flat }) => kind === 'alone' && !flat),
  )
  show(
    'A filter among the archived',
    lines.filter(({ kind }) => kind === 'few'),
  )
  show(
    'Through another table',
    lines.filter(({ kind }) => kind === 'linked'),
  )
  show(
    'By words',
    lines.filter(({ kind }) => kind === 'search'),
  )
  show(
    'With a count',
    lines.filter(({ kind }) => kind === 'counted'),
  )
  show(
    'That walk',
    lines.filter(({ kind }) => kind === 'walked'),
  )
  show(
    'Flat',
    lines.filter(({ kind, flat }) => kind === 'alone' && flat),
  )
}

const stack = await startStack({ keep: flags.keep, name: 'blocks' })
try {
  await measureAll(stack)
  report()
} catch (error) {
  console.error(error)
} finally {
  await stack.stop()
  process.exit()
}
