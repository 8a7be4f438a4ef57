import { describe, expect, test } from 'vitest'
import { dirtyCsv } from '../../bench/dirty-csv.ts'
import { csvRecord } from '../../src/domain/csv/write.ts'
import { FIELD_OBJECTS } from '../../src/domain/filters/custom-types.ts'
import { FIELDS, isFieldOf } from '../../src/features/imports/rules/fields.ts'
import { IMPORT_OBJECTS, IMPORTED, MATCH_FIELDS } from '../../src/features/imports/rules/types.ts'
import { drawOf, TEXTS } from '../contract/odd.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'
import { type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { uploaded, act, rows } = useImports(crm)

/** What a check and a run say of each line; the records that lines become are known to the run only. */
async function reports(id: string) {
  const all = await rows(id)
  const made = new Set(all.flatMap(({ status, record_id }) => (status === 'created' ? [record_id] : [])))
  return all.map(({ line, status, errors, values, record_id }: Row) => ({
    line,
    status,
    errors: errors.map(({ record_id, ...error }: Row) => ({ ...error, ...(record_id && !made.has(record_id) && { record_id }) })),
    values,
    record_id: status === 'created' ? null : record_id,
  }))
}

/** The blocks that rows were ever written to, those of writes that were rolled back included. */
async function written(): Promise<Row> {
  const sizes = ['contacts', 'companies', 'opportunities', 'employers', 'custom_values', 'stage_moves'].map(
    (name) => `pg_relation_size('${name}') as ${name}`,
  )
  return (await crm.app.owner.query(`select ${sizes.join(', ')}`)).rows[0]
}

/** Checks and then runs an import, and answers the bytes of write-ahead log that each took. */
async function checkedAndRun(id: string): Promise<{ check: number; run: number; progress: Row }> {
  const lsn = async () => (await crm.app.owner.query('select pg_current_wal_insert_lsn() as lsn')).rows[0].lsn
  const bytes = async (work: () => Promise<unknown>) => {
    const from = await lsn()
    await work()
    return Number((await crm.app.owner.query('select pg_current_wal_insert_lsn() - $1::pg_lsn as bytes', [from])).rows[0].bytes)
  }
  const before = await written()
  const check = await bytes(() => act(id, 'check'))
  expect(await written()).toEqual(before)
  const report = await reports(id)
  let progress: Row = {}
  const run = await bytes(async () => {
    progress = (await act(id, 'start')).progress
  })
  expect(await reports(id)).toEqual(report)
  expect(report.length).toBe(progress.total)
  return { check, run, progress }
}

describe('a check', () => {
  const LINES = proving ? 100_000 : 400
  test(`says of ${LINES} lines of a dirty file what the run says, and writes no record on the way`, {
    timeout: limit(900_000),
  }, async () => {
    await crm.company('Acme')
    const { text, lines } = dirtyCsv(LINES)
    const { id } = await uploaded(text, { mode: 'upsert', match_by: 'external_id' })
    const { check, run, progress } = await checkedAndRun(id)
    expect(progress).toMatchObject({ created: lines.good, failed: lines.failed })
    // The log is the whole server's, so it is compared where nothing else runs.
    if (proving) expect(check).toBeLessThan(run / 10)
  })

  test('says so of lines whose unique values are taken, by a record or by each other', async () => {
    for (const unique of [true, false])
      await crm.ws.post('/custom-fields', {
        object: 'contact',
        key: unique ? 'number' : 'color',
        label: 'x',
        type: unique ? 'text' : 'select',
        unique,
        ...(!unique && { options: ['Red'] }),
      })
    const old = await crm.contact({ first_name: 'Old', external_id: 'old', email: 'old@example.com', metadata: { number: '1' } })
    await crm.contact({ first_name: 'Other', email: 'other@example.com' })
    const lines = [
      ['Ana', 'a@example.com', 'a', '2', 'Red'],
      ['Bo', 'b@example.com', 'a', '3', 'Red'],
      ['Cy', 'c@example.com', 'old', '4', ''],
      ['Di', 'd@example.com', 'd', '1', ''],
      ['Ed', 'e@example.com', 'e', '2', ''],
      ['Fay', 'f@example.com', 'f', '5', 'Blue'],
      ['Gus', 'g@example.com', 'f', '6', ''],
      ['Old', 'old@example.com', 'd2', '6', ''],
      ['Other', 'other@example.com', 'a', '', ''],
      ['Hana', 'h@example.com', 'd2', '7', ''],
    ]
    const header = ['First Name', 'Email', 'external_id', 'metadata.number', 'metadata.color']
    const { id } = await uploaded(csvRecord(header) + lines.map((line) => csvRecord(line)).join(''), {
      mode: 'upsert',
      match_by: 'email',
      mapping: header.map((column, n) => ({
        column,
        field: ['first_name', 'email', 'external_id', 'metadata.number', 'metadata.color'][n],
      })),
    })
    const { progress } = await checkedAndRun(id)
    expect(progress.failed).toBeGreaterThanOrEqual(6)
    const all = await rows(id)
    const errorsOf = (name: string) => all.find(({ values }) => values?.[0] === name)?.errors
    const ana = (await rows(id, '&status=created'))[0]?.record_id
    expect(errorsOf('Bo')).toMatchObject([{ field: 'external_id', value: 'a', record_id: ana }])
    expect(errorsOf('Cy')).toMatchObject([{ field: 'external_id', value: 'old', record_id: old.id }])
    expect(errorsOf('Di')).toMatchObject([{ field: 'metadata.number', value: '1', record_id: old.id }])
    expect(errorsOf('Other')).toMatchObject([{ field: 'external_id', value: 'a', record_id: ana }])
    expect(progress.created).toBeGreaterThanOrEqual(2)
  })

  const SEED = Number(process.env.FUZZ_SEED ?? 20_261_122)
  test.each(IMPORT_OBJECTS)('says so of odd files of %s, into every field', { timeout: limit(300_000) }, async (object) => {
    await crm.ws.post('/companies', { name: 'Acme', external_id: 'ext-3' })
    await crm.contact({ first_name: 'Ana', external_id: 'ext-3' })
    await crm.opportunity({ name: 'Deal', external_id: 'ext-3' })
    const keys: readonly string[] = MATCH_FIELDS[object]
    const types = ['number', 'date', 'select', 'phone', 'text'] as const
    const { entity } = IMPORTED[object]
    const isCustom = FIELD_OBJECTS.some((one) => one === entity)
    for (const type of isCustom ? types : [])
      await crm.ws.post('/custom-fields', {
        object: entity,
        key: `own_${type}`,
        label: type,
        type,
        unique: type === 'text',
        ...(type === 'select' && { options: ['A', 'B'] }),
      })
    for (let n = 0; n < (proving ? 20 : 3); n++) {
      const draw = drawOf(SEED + n)
      const plain = [
        'Acme',
        'Ana',
        'ana@example.com',
        '0412 345 678',
        '2026-01-31',
        'yes',
        '12.5',
        'Won',
        'A',
        'Australia',
        'AUD',
        '1998',
        '1e400',
        '{"a":1}',
        '9'.repeat(40),
      ]
      const names = [
        ...FIELDS[object].map(({ name }) => name).filter((name) => name !== 'id' || !keys.includes('external_id')),
        ...(isCustom ? types.map((type) => `metadata.own_${type}`) : []),
        ...(isFieldOf(object, 'metadata.free') ? ['metadata.free'] : []),
      ]
      const cell = () =>
        draw([true, true, true, true, true, false])
          ? ''
          : draw([true, true, true, false])
            ? draw(plain)
            : draw(TEXTS.filter((text) => text.length < 30_000))
      // Each line is about a record of its own: what a line finds of lines long before it only the run can know.
      const value = (name: string, at: number) => {
        if (name === 'external_id') return at === 3 ? 'ext-3' : `ext-${at}-${n}`
        if (/^((first_)?name|title)$/.test(name)) return draw([`N${at}`, ''])
        if (name === 'id') return ''
        if (name === 'contact' || name === 'opportunity') return draw(['', 'ext-3', 'Nobody'])
        if (name === 'activity_type') return draw(['call', 'Meeting', 'note', 'zork'])
        if (name === 'sku') return `sku-${at}-${n}`
        return name === 'company' || name === 'parent_company' ? draw(['', '', 'Acme', 'Nobody']) : cell()
      }
      const lines = Array.from({ length: 40 }, (_, at) => csvRecord(names.map((name) => value(name, at))))
      const { id } = await uploaded(csvRecord(names) + lines.join(''), {
        object,
        mapping: names.map((name) => ({ column: name, field: name })),
        mode: draw(['create', 'upsert', 'update'] as const),
        match_by: keys.includes('external_id') ? 'external_id' : 'id',
        clear_empty: draw([true, false]),
      })
      await checkedAndRun(id)
    }
  })
})
