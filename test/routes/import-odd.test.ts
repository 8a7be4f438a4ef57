import { expect, test } from 'vitest'
import { csvRecord } from '../../src/domain/csv/write.ts'
import { FIELDS, isFieldOf } from '../../src/features/imports/rules/fields.ts'
import { IMPORT_MODES, IMPORT_OBJECTS, type ImportObject, MATCH_FIELDS } from '../../src/features/imports/rules/types.ts'
import { drawOf, TEXTS } from '../contract/odd.ts'
import { expectWritten } from '../requests/written-rows.ts'
import { limit } from '../speed.ts'
import { type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { uploaded, act, rows } = useImports(crm)

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121)
const IMPORTS = Number(process.env.FUZZ_IMPORTS ?? IMPORT_OBJECTS.length)
const LINES = 12
const TYPES = ['text', 'long_text', 'number', 'date', 'boolean', 'select', 'multi_select', 'url', 'email', 'phone'] as const
/** What may well be right in some field. */
const PLAIN = [
  'Acme',
  'Ana',
  'ana@example.com',
  '0412 345 678',
  '2026-01-31',
  '44927',
  'yes',
  '12.5',
  'Won',
  'Sales pipeline',
  'A; B',
  'https://x.co',
  'Australia',
  'NSW',
  'AUD',
  '1998',
  "'=1+1",
  '1e400',
  '-1',
  '{"a":1}',
  '[1,2]',
  '9'.repeat(40),
]

/** Few, so that lines find records of lines before them. */
const KEYS = {
  id: ['01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d', ''],
  external_id: ['Ana', 'Bo'],
  name: ['Acme', 'Beta'],
  email: ['ana@example.com', 'bo@example.com'],
  phone: ['0412 345 678', '+61412345679'],
  sku: ['A', 'B'],
}

test(`${IMPORTS} files of ${LINES} random lines, into every field of every object, finish with a report of each line`, {
  timeout: limit(300_000),
}, async () => {
  for (const object of ['contact', 'company', 'opportunity'])
    for (const type of TYPES)
      await crm.ws.post('/custom-fields', {
        object,
        key: `own_${type}`,
        label: type,
        type,
        ...(/select/.test(type) && { options: ['A', 'B'] }),
        unique: type === 'phone',
      })
  await crm.ws.post('/companies', { name: 'Acme', external_id: 'Ana' })
  const recorded: Record<string, string[]> = {}
  const sums: Record<string, number> = { created: 0, updated: 0, skipped: 0, failed: 0 }
  for (let n = 0; n < IMPORTS; n++) {
    const draw = drawOf(SEED + n)
    const object = IMPORT_OBJECTS[n % IMPORT_OBJECTS.length]!
    const names = [
      ...FIELDS[object].map(({ name }) => name),
      ...(isFieldOf(object, 'metadata.zork') ? [...TYPES.map((type) => `metadata.own_${type}`), 'metadata.zork'] : []),
    ]
    const cell = () =>
      draw([...Array<boolean>(24).fill(true), false])
        ? ''
        : draw([true, true, true, true, false])
          ? draw(PLAIN)
          : draw(TEXTS.filter((text) => text.length < 30_000))
    const match_by = draw([...MATCH_FIELDS[object]])
    const lines = Array.from({ length: LINES }, () =>
      csvRecord(
        names.map((name) =>
          name === match_by ? draw(KEYS[name]) : /^(first_)?name$/.test(name) ? draw(['Ana', 'Bo', 'Acme', ...PLAIN]) : cell(),
        ),
      ),
    )
    const file = await uploaded(csvRecord(names) + lines.join(''), {
      object,
      mapping: names.map((name) => ({ column: name, field: name })),
      mode: draw([...IMPORT_MODES]),
      match_by,
      clear_empty: draw([true, false]),
    })
    for (const action of ['check', 'start', 'undo'] as const) {
      const { state, reason, progress } = await act(file.id, action)
      const context = `seed ${SEED}, import ${n}, ${action}: ${reason} ${crm.app.logs.slice(-3).join('\n')}`
      expect(state, context).toBe({ check: 'checked', start: 'finished', undo: 'undone' }[action])
      expect(progress.done, context).toBe(progress.total)
      expect(progress.kept, context).toBe(0)
      if (action !== 'start') continue
      for (const name of Object.keys(sums)) sums[name] = (sums[name] as number) + progress[name]
      recorded[`${n} ${object}`] = [...(await rows(file.id)).map(plainOf), ...(await recordsOf(object))].sort()
    }
    const found = await rows(file.id)
    expect(found.every(({ status, errors }) => errors.length > 0 || status === 'created' || status === 'updated')).toBe(true)
  }
  for (const [name, sum] of Object.entries(sums)) expect(sum, name).toBeGreaterThan(0)
  expect([await crm.count('contacts'), await crm.count('companies'), await crm.count('opportunities')]).toEqual([0, 1, 0])
  if (!process.env.FUZZ_SEED && !process.env.FUZZ_IMPORTS) expectWritten('imports.txt', recorded)
})

const LISTED: readonly ImportObject[] = ['contacts', 'companies', 'opportunities']
/** The records with the fields that an import may fill. */
async function recordsOf(object: ImportObject): Promise<string[]> {
  if (!LISTED.includes(object)) return []
  const records = (await crm.walk(`/${object}?limit=100`)) as Row[]
  const names = [...FIELDS[object].map(({ name, becomes }) => becomes ?? name), 'metadata']
  return records.map((record) => plainOf(Object.fromEntries(names.flatMap((name) => (record[name] ? [[name, record[name]]] : [])))))
}

/** What an import makes of a line, without what is new in each run. */
const plainOf = (found: Row): string =>
  JSON.stringify(found)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '#')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '#')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 1_500)
