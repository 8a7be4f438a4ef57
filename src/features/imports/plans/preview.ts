import type { Ctx } from '../../../context.ts'
import { withoutNulls } from '../../../lib/objects.ts'
import { type Definition, IMPORTED, type ImportObject, type PreviewedCell, type PreviewedLine } from '../rules/types.ts'
import { withAdded, withCloseDate, withProducts } from './decide.ts'
import { withFirstName } from './derived-name.ts'
import { type ReadSettings, readerOf } from './job.ts'
import { type Line, type Outcome, readLine } from './lines.ts'
import { WRITES } from './plans.ts'

/** The first lines of the file, its columns, the custom fields of the object, and the time zone of the workspace. */
export type PreviewSource = {
  preview: { line: number; cells: string[] }[]
  columns: { name: string }[]
  definitions: Definition[]
  zone: string
}

const NOT_MAPPED = 'No field is mapped to this column'
const IGNORED = 'This column is ignored'
/** The most entries of a line: as many as a file can have columns. */
const MAX_CELLS = 500
const NOWHERE = { byte: 0, line: 0 }

/**
 * Computes what the first lines become, with the functions of the import itself. Records that a line refers to are not looked up. It
 * assumes nothing: an upload cannot be planned again, because its body has been read.
 */
export async function previewOf(
  ctx: Ctx,
  settings: Omit<ReadSettings, 'definitions' | 'zone'> & { ignored_columns: string[] },
  source: PreviewSource,
): Promise<PreviewedLine[]> {
  const { columns, definitions, zone } = source
  const reader = readerOf({ ...settings, definitions, zone }, columns)
  const lines = source.preview.map(({ line, cells }) => readLine(reader, { line, cells, next: NOWHERE }))
  const [, { valid, errors }] = await WRITES[settings.object].creates(
    { ...ctx, zone: async () => zone },
    lines.map((line) => inputOf(line, settings.object)),
  )
  return lines.map((line, index) => {
    const stored = valid.find((record) => record.index === index)?.value
    const rejected = errors.find((error) => error.index === index)?.error.details as
      | { issues?: { path: string; message: string }[] }
      | undefined
    const issues = (line.footer ? [] : (rejected?.issues ?? [])).filter(
      ({ path }) => !line.references.some(({ becomes }) => becomes === path),
    )
    return {
      line: line.line,
      cells: columns
        .flatMap(({ name }, at) => cellsAt(line, { name, at, isIgnored: settings.ignored_columns.includes(name) }, stored, issues))
        .slice(0, MAX_CELLS),
      errors: [
        ...line.faults.map(({ field, message }) => ({ field, message })),
        ...issues.map(({ path, message }) => ({ field: path || null, message })),
      ],
    }
  })
}

function inputOf(line: Line, object: ImportObject): Record<string, unknown> {
  const { id: _, ...input } = withAdded({ ...line.initial, ...line.input }, line)
  // An activity needs a link, whatever record it will be to.
  const links = IMPORTED[object].entity === 'activity' ? line.references.map(({ becomes }) => [becomes, SOME_ID]) : []
  const type = object === 'notes' && { activity_type: 'note' }
  const { values } = withFirstName(object, line, withoutNulls({ ...type, ...Object.fromEntries(links), ...input }))
  return withProducts(withCloseDate(values, false), () => SOME_ID)
}
const SOME_ID = '00000000-0000-7000-8000-000000000000'

type Issue = { path: string; message: string }
type Place = { name: string; at: number; isIgnored: boolean }

/** The cells of a column: one for each field that it fills, and for each of several values. */
function cellsAt(
  line: Line,
  { name, at, isIgnored }: Place,
  stored: Record<string, unknown> | undefined,
  issues: Issue[],
): PreviewedCell[] {
  const text = line.values[at] ?? ''
  if (text.trim() === '') return []
  const outcomes = line.outcomes.filter((outcome) => outcome.at === at)
  if (outcomes.length === 0) return [{ column: name, text, field: null, value: null, problem: isIgnored ? IGNORED : NOT_MAPPED }]
  return outcomes.map((outcome) => ({ column: name, text, field: outcome.field, ...resultOf(outcome, stored, issues) }))
}

function resultOf(
  outcome: Outcome,
  stored: Record<string, unknown> | undefined,
  issues: Issue[],
): Pick<PreviewedCell, 'value' | 'problem'> {
  if ('message' in outcome) return { value: null, problem: outcome.message }
  if ('warning' in outcome) return { value: null, problem: outcome.warning }
  const { field, kind, value } = outcome
  const issue = issues.find(({ path }) => path === field || path.startsWith(`${field}.`))
  if (issue) return { value: null, problem: issue.message }
  // The record has the normal form of some values, such as E.164.
  return { value: NORMALISED.includes(kind) && typeof stored?.[field] === 'string' ? stored[field] : value, problem: null }
}

const NORMALISED = ['text', 'phone', 'email', 'moment']
