import { eq, sql } from 'drizzle-orm'
import { importFiles, importRows, imports } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { assert, assertField, mapResult, rows } from '../../../data/query.ts'
import { lockForUpdate, updateRows } from '../../../data/store.ts'
import { assertState, stateAfter } from '../../../data/transitions.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { FULL_OF_FAILED_LINES, IMPORT_LIMITS } from '../rules/limits.ts'
import { missingSettings, type Settings, settingsIssues, unknownContacts } from '../rules/settings.ts'
import { IMPORT_TRANSITIONS, type ImportState, type Phase, resumes, startIssue } from '../rules/states.ts'
import { automaticMapping } from '../rules/suggest.ts'
import { IMPORTED, type ImportObject, type Suggested, type UnknownAction } from '../rules/types.ts'
import type { ImportSettings } from '../schemas/import-settings.ts'
import { definitions, definitionsOf, type OwnDefinition, zone } from './definitions.ts'
import type { ReadSettings } from './job.ts'
import { creatingScopes } from './missing-records.ts'
import { type PreviewSource, previewOf } from './preview.ts'
import { record, recordWithWarnings } from './records.ts'

type Stored = Settings &
  Omit<ReadSettings, 'definitions' | 'zone'> &
  Omit<PreviewSource, 'definitions'> & {
    definitions: OwnDefinition[]
    version: number
    state: ImportState
    undo_id: string | null
    phase: Phase | null
    columns: { name: string; samples: string[] }[]
    suggestions: Record<string, Suggested[]>
    unknown_companies: UnknownAction
    unknown_lead_sources: UnknownAction
    unknown_pipelines: UnknownAction
    unknown_stages: UnknownAction
    run_automations: boolean | null
    list_id: string | null
  }

/**
 * Reads the import that a change is decided from. The first round trip finds it; the second locks it and runs only if its version is still
 * the same. `authorize` returns true or raises an error, before anything else is reported. Undefined in the first round trip.
 */
function storedImport(ctx: Ctx, id: string, authorize: Statement = sql`true`): Promise<Stored | undefined> {
  const { version, state, object, mapping, defaults, mode, match_by, undo_id, ignored_columns, replacements } = imports
  const { unknown_companies, unknown_lead_sources, external_id_prefix, date_format, country, clear_empty } = imports
  const { unknown_pipelines, unknown_stages } = imports
  const { phase, columns, suggestions, preview } = importFiles
  const found = db
    .select({
      version,
      state,
      object,
      mapping,
      defaults,
      mode,
      match_by,
      undo_id,
      phase,
      columns,
      suggestions,
      ignored_columns,
      replacements,
      unknown_companies,
      unknown_lead_sources,
      run_automations: imports.run_automations,
      unknown_pipelines,
      unknown_stages,
      external_id_prefix,
      date_format,
      country,
      clear_empty,
      preview,
      definitions,
      zone,
      list_id: imports.list_id,
    })
    .from(imports)
    .innerJoin(importFiles, eq(importFiles.import_id, imports.id))
    .where(eq(imports.id, id))
  const locked = sql`(select version from imports where id = ${id} for update)`
  return ctx.assume<Stored | undefined>(
    mapResult(rows(found), ([stored]) => stored as Stored | undefined),
    undefined,
    (known) => sql`(select case when assert_record(i.version, ${ctx.ifMatch ?? null}::int, 'import', ${id}::uuid) and ${authorize.getSQL()}
      then i.version is not distinct from ${known?.version ?? null}::int end from (select ${locked} as version) i)`,
  )
}

/** The plan of the first round trip, which never runs. */
const unread = (id: string) => plan([], record(id))

/** Updates an import. A changed object without a mapping gets the suggested mapping for that object. */
export async function changeImport(ctx: Ctx, id: string, settings: ImportSettings) {
  // With another object, the file could be read by those who may read that one.
  const stored = await storedImport(ctx, id, settings.object && sql`assert_import_scopes(${id}::uuid, '{read}')`)
  if (!stored) return unread(id)
  const { state, object, suggestions, columns } = stored
  const allowed = Object.keys(IMPORT_TRANSITIONS.update)
  if (!allowed.includes(state))
    throw new AppError('INVALID_STATE', 'Only an import that was not started can be changed', { state, allowed })
  const isRemapped = settings.object && settings.object !== object && !settings.mapping
  const changes = {
    ...settings,
    ...(isRemapped && { ...UNDECIDED, ...newDefaults(settings), mapping: automaticMapping(suggestions[settings.object as string]) }),
  }
  const changed = { ...stored, ...changes } as Stored
  const issues = settingsIssues(changed, namesOf(columns))
  if (issues.length > 0) throw invalid(issues)
  const previewed = await previewOf(ctx, changed, {
    ...changed,
    definitions: definitionsOf(changed.object, changed.definitions),
  })
  return plan(
    [
      ...assertList(changed),
      sql`delete from ${importRows} where import_id = ${id}`,
      db
        .update(importFiles)
        .set({ phase: null, previewed, ...NONE_DONE })
        .where(eq(importFiles.import_id, id)),
      updateRows(imports, { ...changes, state: 'ready', finished_at: null }, eq(imports.id, id)),
    ],
    record(id),
  )
}

/** The rules of the list that the records are added to: it is a static list of such records, and the caller may change it. */
function assertList({ list_id, object }: Pick<Stored, 'list_id' | 'object'>): Statement[] {
  if (list_id === null) return []
  const fits = sql`exists (select from lists where id = ${list_id} and kind = 'static' and object = ${object})`
  return [call('assert_scopes', '{lists:write}'), assertField(fits, 'list_id', `must be a static list of ${object}`)]
}

const NONE_DONE = { done: 0, created: 0, updated: 0, skipped: 0, failed: 0, warned: 0, unknown_values: [] }

const newDefaults = ({ object, unknown_contacts }: ImportSettings) =>
  object && unknown_contacts === undefined ? { unknown_contacts: unknownContacts(object) } : {}

/** Another object has other fields. */
const UNDECIDED = { ignored_columns: [], replacements: [] }

const namesOf = (columns: { name: string }[]) => columns.map(({ name }) => name)

/** Starts a phase of the import, or resumes an interrupted run. The event of this change enqueues it. */
export async function startImport(ctx: Ctx, id: string, phase: Phase) {
  const actions = phase === 'undo' ? ['write', 'delete'] : ['write']
  const stored = await storedImport(ctx, id, sql`assert_import_scopes(${id}::uuid, ${`{${actions.join(',')}}`}::text[])`)
  if (!stored) return plan([], recordWithWarnings(id, false))
  const refusal = startIssue(phase, stored.state, stored.phase)
  if (refusal) throw new AppError('INVALID_STATE', refusal.message, refusal.details)
  const issues = phase === 'undo' ? [] : [...settingsIssues(stored, namesOf(stored.columns)), ...missingSettings(stored, stored.columns)]
  if (issues.length > 0) throw invalid(issues)
  const creating =
    phase === 'run' ? creatingScopes(stored, [...stored.mapping.map(({ field }) => field), ...Object.keys(stored.defaults)]) : []
  const isFresh = phase !== 'undo' && !resumes(stored.state)
  const failedElsewhere = sql`(select coalesce(sum(f.failed + f.skipped), 0) from ${importFiles} f where f.import_id <> ${id})`
  return plan(
    [
      ...(phase === 'run' ? assertList(stored) : []),
      phase === 'run' && isFresh && stored.run_automations === null && assertUnwatched(stored.object),
      creating.length > 0 && call('assert_scopes', `{${creating.join(',')}}`),
      phase !== 'undo' && assert(sql`${failedElsewhere} < ${IMPORT_LIMITS.failed_lines}`, 'CONFLICT', FULL_OF_FAILED_LINES),
      isFresh && sql`delete from ${importRows} where import_id = ${id}`,
      db
        .update(importFiles)
        .set({ phase, touched_at: sql`now()`, ...(isFresh && FROM_THE_START) })
        .where(eq(importFiles.import_id, id)),
      updateRows(
        imports,
        {
          state: (IMPORT_TRANSITIONS[phase] as Record<string, ImportState>)[stored.state],
          reason: null,
          finished_at: null,
          ...(phase === 'run' && isFresh && { started_at: sql`now()` }),
          run_key_id: sql`current_key_id()`,
          run_approval_id: sql`nullif(current_setting('app.approval_id', true), '')::uuid`,
          ...(phase === 'undo' && { undo_id: stored.undo_id ?? newId() }),
          skip_automations: sql`skips_automations()`,
        },
        eq(imports.id, id),
      ),
    ],
    recordWithWarnings(id, phase === 'run'),
  )
}

/** An import says whether automations react to it, if there is one that would. */
function assertUnwatched(object: ImportObject): Statement {
  const { entity } = IMPORTED[object]
  const watched = sql`exists (select from automation_triggers t join automations a on a.id = t.automation_id
    where t.starts and a.state = 'published' and t.event_type in (${`${entity}.created`}, ${`${entity}.updated`}))`
  return assertField(
    sql`skips_automations() or not ${watched}`,
    'run_automations',
    'Automations wait for changes of a record of this kind: set run_automations of the import to true to let them react, or to false',
  )
}

const FROM_THE_START = {
  next_byte: importFiles.first_byte,
  next_line: importFiles.first_line,
  ...NONE_DONE,
}

/** Cancels a check or a run. Completed lines stay. */
export const cancelImport = (ctx: Ctx, id: string) =>
  plan(
    [
      lockForUpdate(ctx, imports, id, 'import'),
      assertState(imports, 'state', id, IMPORT_TRANSITIONS.cancel, 'This import'),
      sql`update imports set state = ${stateAfter(sql`state`, IMPORT_TRANSITIONS.cancel)},
        finished_at = case state when 'running' then now() end where id = ${id}`,
    ],
    record(id),
  )
