import { readXlsx } from 'hucre/xlsx'
import { describe, expect, test } from 'vitest'
import { ROOTS } from '../../src/domain/filters/types.ts'
import { created, found, type Row, useCrm } from './crm.ts'
import { MISLEADING, useTemplates } from './exporting.ts'

const crm = useCrm()
const { template, preview, run, csv, workbook } = useTemplates(crm)

describe('a workbook', () => {
  const TEXTS = [...MISLEADING, 'two\r\nlines\tand tab', '@SUM(1)']

  test('has texts as they are, and no formula', async () => {
    for (const notes of TEXTS) await crm.contact({ first_name: 'Ana', notes: `.${notes}.` })
    await crm.app.owner.query(
      `update contacts c set notes = t.text
        from (select id, row_number() over (order by created_at, id) n from contacts where workspace_id = $1) o
        join unnest($2::text[]) with ordinality t(text, n) on t.n = o.n where c.id = o.id and c.workspace_id = $1`,
      [crm.ws.id, [...TEXTS.slice(0, -1), 'bell\u0007 esc\u001b\ufffe']],
    )
    const { id } = await template(['notes'])
    const { rows, sheets } = await workbook(id)
    expect(rows.slice(1).map(([value]) => value)).toEqual([...TEXTS.slice(0, -1), 'bell\u0007 esc\u001b\ufffe'])
    const cells = [...(sheets[0]?.cells?.values() ?? [])]
    expect(cells.filter((cell) => cell.formula !== undefined)).toEqual([])
  })

  test('has numbers, booleans, days and times in the zone of the workspace', async () => {
    found(await crm.ws.patch('/company', { timezone: 'Australia/Sydney' }))
    for (const [key, type] of [
      ['score', 'number'],
      ['met', 'date'],
      ['vip', 'boolean'],
      ['memo', 'text'],
    ])
      created(await crm.ws.post('/custom-fields', { object: 'contact', key, label: `The ${key}`, type }))
    // One second before and after the clocks go forward in Sydney, and a day that Excel has no number for.
    for (const [at, birthday] of [
      ['2025-10-04T15:59:59.000Z', '2000-02-29'],
      ['2025-10-04T16:00:00.500Z', '1900-02-28'],
    ])
      await crm.contact({
        first_name: 'Ana',
        date_of_birth: birthday,
        relationship_started_at: at,
        metadata: { score: -1.5, met: '2026-01-31', vip: true, memo: '007' },
      })
    const paths = [
      'date_of_birth',
      'relationship_started_at',
      'is_primary',
      'metadata.score',
      'metadata.met',
      'metadata.vip',
      'metadata.memo',
    ]
    const { id } = await template(paths)
    const { bytes } = await workbook(id)
    const { sheets } = await readXlsx(bytes, { readStyles: true })
    const sheet = sheets[0]
    expect(sheet?.rows[0]).toEqual([
      'date_of_birth',
      'relationship_started_at',
      'is_primary',
      'The score',
      'The met',
      'The vip',
      'The memo',
    ])
    const [, first, second] = sheet?.rows ?? []
    const iso = (value: unknown) => (value instanceof Date ? value.toISOString() : value)
    expect(first?.map(iso)).toEqual([
      '2000-02-29T00:00:00.000Z',
      '2025-10-05T01:59:59.000Z',
      false,
      -1.5,
      '2026-01-31T00:00:00.000Z',
      true,
      '007',
    ])
    expect(second?.map(iso).slice(0, 2)).toEqual(['1900-02-28', expect.stringMatching(/^2025-10-05T03:00:00\.[45]/)])
  })

  test('says what was cut: a text of more than 32,767 characters', async () => {
    await crm.app.owner.query(
      "insert into contacts (workspace_id, first_name, notes) values ($1, 'Long', repeat('x', 40000)), ($1, 'Just', repeat('y', 32767))",
      [crm.ws.id],
    )
    const { id, name } = await template(['first_name', 'notes'])
    const { rows, sheets, headers } = await workbook(id)
    expect(rows.slice(1).map(([, notes]) => String(notes).length)).toEqual([32_767, 32_767])
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="People \d{4}-\d\d-\d\d\.xlsx"/)
    expect(headers.get('content-type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    expect(Object.fromEntries(sheets[1]?.rows ?? [])).toMatchObject({
      Template: name,
      Rows: 2,
      'More rows matched than the file has': 'No',
      'Cells cut at 32,767 characters, marked yellow': 1,
    })
  })

  test('has every row of several pages once, and says in its name and header when there are more', async () => {
    await crm.app.owner.query(
      "insert into contacts (workspace_id, first_name, last_name) select $1, 'Person ' || n, 'Cut' from generate_series(1, 2503) n",
      [crm.ws.id],
    )
    const { id } = await template(['first_name', 'company.name', 'opportunities.count', 'created_at'])
    const whole = await workbook(id)
    expect(whole.headers.get('x-truncated')).toBeNull()
    expect(new Set(whole.rows.slice(1).map(([name]) => name)).size).toBe(2503)
    const cut = await workbook(id, { limit: 1500 })
    expect(cut.headers.get('x-truncated')).toBe('1')
    expect(cut.headers.get('content-disposition')).toContain(', first 1500 rows.xlsx')
    expect(cut.rows).toHaveLength(1501)
    expect(Object.fromEntries(cut.sheets[1]?.rows ?? [])).toMatchObject({ Rows: 1500, 'More rows matched than the file has': 'Yes' })
    expect((await run(id, { limit: 2503 })).headers.get('x-truncated')).toBeNull()
    expect(await csv(id, { limit: 3 })).toHaveLength(4)
  })

  test('of 200 columns, with any root', async () => {
    for (const root of ROOTS) {
      const catalogue = found(await crm.ws.get(`/exports/field-catalog?root_entity=${root}`)) as Row
      const paths = catalogue.column_fields.flatMap(({ path, aggregates }: Row) =>
        aggregates ? aggregates.map((name: string) => `${path}.${name}`) : [path],
      )
      for (let from = 0; from < paths.length; from += 200) {
        const { id } = await template(paths.slice(from, from + 200), { root_entity: root, sort: null })
        const { rows } = await workbook(id)
        expect(rows[0]).toEqual(paths.slice(from, from + 200))
        expect((await preview(id)).headers).toEqual(rows[0])
      }
    }
  })
})
