import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { proving } from '../proof.ts'
import { useCrm } from './crm.ts'
import { MISLEADING, useTemplates } from './exporting.ts'

const crm = useCrm()
const { template, run } = useTemplates(crm)

type Cell = { text: string } | { shown: string } | undefined

/** The cells of a CSV file whose texts are in quotation marks, and only they. */
function cellsOf(csv: string): Cell[][] {
  const rows: Cell[][] = [[]]
  for (const [, text, shown = '', end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    if (end === undefined || (end === '' && text === undefined && shown === '')) continue
    rows.at(-1)?.push(text !== undefined ? { text: text.replaceAll('""', '"') } : shown === '' ? undefined : { shown })
    if (end === '\n') rows.push([])
  }
  return rows.filter((row) => row.length > 0)
}

/** The first sheet as LibreOffice reads it: formulas would be written as formulas, and numbers as they are shown. */
function readByOffice(bytes: Uint8Array): Cell[][] {
  const dir = mkdtempSync(join(tmpdir(), 'office-'))
  try {
    writeFileSync(join(dir, 'file.xlsx'), bytes)
    const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,true'
    const options = [`-env:UserInstallation=file://${dir}/profile`, '--headless', '--convert-to', filter, '--outdir', dir]
    const done = spawnSync('soffice', [...options, join(dir, 'file.xlsx')], { encoding: 'utf8' })
    if (done.error)
      throw new Error('This proof reads files back with LibreOffice, which is not installed: apt-get install -y libreoffice-calc')
    expect(done.status, done.stderr).toBe(0)
    return cellsOf(readFileSync(join(dir, 'file.csv'), 'utf8').replaceAll('\r\n', '\n'))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function readByHucre(bytes: Uint8Array): Promise<Cell[][]> {
  const { sheets } = await readXlsx(bytes, { readStyles: true })
  const shown = (value: unknown) =>
    value instanceof Date ? value.toISOString().slice(0, 19).replace('T', ' ').replace(' 00:00:00', '') : String(value)
  return (sheets[0]?.rows ?? []).map((row) =>
    row.map((value) =>
      value === null || value === undefined
        ? undefined
        : typeof value === 'string'
          ? { text: value }
          : { shown: shown(value).toUpperCase() },
    ),
  )
}

const PARTS = [
  ...MISLEADING,
  'a,b',
  ' ',
  '"',
  "'",
  '&amp;',
  ']]>',
  '2026-01-31',
  '\n',
  '@SUM(1)',
  '-',
  '\u00a0',
  '\u3000',
  '_',
  'x',
  '0041',
  'é',
  '12',
  '%',
  '$1',
]
const ROWS = proving ? 5_000 : 300

test('a spreadsheet program reads every cell as it is stored', { timeout: 600_000 }, async () => {
  await crm.app.owner.query("update workspaces set timezone = 'Australia/Sydney' where id = $1", [crm.ws.id])
  let state = 11
  const below = (bound: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
  const random = () => Array.from({ length: 1 + below(4) }, () => PARTS[below(PARTS.length)]).join('')
  const texts = Array.from({ length: ROWS }, (_, n) => MISLEADING[n] ?? random())
  await crm.app.owner.query(
    `insert into opportunities (workspace_id, name, description, value, expected_close_date, opened_at, pipeline_id, stage_id, created_at)
      select $1, 'n' || n, t, n + 0.25, date '2026-01-01' + n::int % 300, timestamptz '2025-10-04T15:59:00Z' + n * interval '1 minute',
        s.pipeline_id, s.id, now() - interval '1 day' + n * interval '1 ms'
      from unnest($2::text[]) with ordinality u(t, n)
      cross join (select id, pipeline_id from stages where workspace_id = $1 order by position limit 1) s`,
    [crm.ws.id, texts],
  )
  const fields = { root_entity: 'opportunities', sort: 'created_at' }
  const { id } = await template(['name', 'description', 'value', 'expected_close_date', 'opened_at', 'archived'], fields)
  const { bytes, status } = await run(id, { format: 'xlsx' })
  expect(status).toBe(200)
  const [, ...read] = proving ? readByOffice(bytes) : await readByHucre(bytes)
  const local = (n: number) => {
    // The clocks of Sydney go forward one minute after the first of these times.
    const at = Date.parse('2025-10-04T15:59:00Z') + n * 60_000
    return new Date(at + (n === 0 ? 10 : 11) * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
  }
  const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + (n % 300))).toISOString().slice(0, 10)
  const expected = texts.map((text, at): Cell[] => {
    const n = at + 1
    return [{ text: `n${n}` }, { text }, { shown: String(n + 0.25) }, { shown: day(n) }, { shown: local(n) }, { shown: 'FALSE' }]
  })
  const wrong = expected.flatMap((cells, at) => (JSON.stringify(cells) === JSON.stringify(read[at]) ? [] : [{ cells, read: read[at] }]))
  expect(wrong.slice(0, 6)).toEqual([])
  expect(read).toHaveLength(ROWS)
})
