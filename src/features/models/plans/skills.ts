import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { skills } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { fromSet } from '../../../data/list-scan.ts'
import { listWhere, sortKeys } from '../../../data/lists.ts'
import { type Keys, page } from '../../../data/page.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { oneOrThrow, typed } from '../../../data/query.ts'
import { fieldsOf } from '../../../data/rows.ts'
import { columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import type { Operation } from '../../../domain/operations.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { schemaFault } from '../rules/json-schemas.ts'
import { DEFAULT_RUN_CREDITS, DEFAULT_STEPS } from '../rules/skills.ts'
import { type NewSkill, Skill, type SkillPatch } from '../schemas/skills.ts'

/** Finds operations of the API that a model may have as tools. */
export type FindOperations = (ids: readonly string[]) => Promise<Operation[]>

export const skillFields = { is_own: sql<boolean>`skills.workspace_id = (select current_workspace())`.as('is_own') }
const columns = columnsFor(skills, Skill, skillFields)

/** What the copies of public skills do not have. */
const ABSENT: Record<string, SQL> = {
  workspace_id: sql`owner_id`,
  system_prompt: sql`null::text`,
  visibility: sql`'public'`,
  status: sql`'active'`,
  credits_per_day: sql`null::int`,
}
const names = Object.keys(getTableColumns(skills))
const OWN = sql`select ${sql.join(
  names.map((name) => sql.identifier(name)),
  sql`, `,
)} from public.skills`
/** The public skills of other workspaces, as rows of the table. */
const OTHERS = sql`select ${sql.join(
  names.map((name) => sql`${ABSENT[name] ?? sql.identifier(name)} as ${sql.identifier(name)}`),
  sql`, `,
)} from published_skills where owner_id <> (select current_workspace())`

const select = (keys: Keys) => db.select({ ...columns, ...keys }).from(skills)

/** Lists the skills of the workspace, and the public ones of others. */
export function listSkills(query: Record<string, unknown>) {
  const sorts = sortKeys(skills, ['created_at', 'updated_at'])
  const where = listWhere(skills, {}, query)
  const parameters = query as { limit: number }
  return read(page({ select, id: skills.id, where, sets: [OWN, OTHERS], sorts, name: 'skills', query: parameters }))
}

function recordOf(id: string) {
  const found = db.select(columns).from(skills).where(sql`${skills.id} = ${id}`)
  const whole = fromSet(skills, sql`${OWN} union all ${OTHERS}`, found.getSQL())
  return oneOrThrow(typed<Skill>({ getSQL: () => whole, fields: fieldsOf(found) }), 'skill', id)
}

export const getSkill = (id: string): Plan<Skill> => read(recordOf(id))

export async function createSkill(input: NewSkill, find: FindOperations): Promise<Plan<Skill>> {
  const id = newId()
  const row = { max_steps: DEFAULT_STEPS, credits_per_run: DEFAULT_RUN_CREDITS, ...input, id }
  return plan([await assertTools(input, find), insertRow(skills, row)], recordOf(id))
}

/** Changes a skill. A run that is under way keeps the version that it has begun with. */
export async function updateSkill(ctx: Ctx, id: string, patch: SkillPatch, find: FindOperations): Promise<Plan<Skill>> {
  const change = updateRows(skills, patch, sql`${skills.id} = ${id}`, { id })
  return plan([lockForUpdate(ctx, skills, id, 'skill'), await assertTools(patch, find), change], recordOf(id))
}

/**
 * Asserts that the tools exist, and that the caller's key has their scopes. @throws VALIDATION_ERROR, also for a schema that cannot be
 * used.
 */
async function assertTools({ tools = [], input_schema, output_schema }: SkillPatch, find: FindOperations): Promise<Statement | undefined> {
  const issues = Object.entries({ input_schema, output_schema }).flatMap(([path, schema]) => {
    const message = schema && schemaFault(schema)
    return message ? [{ path, message }] : []
  })
  const known = tools.length > 0 ? await find(tools) : []
  for (const [index, name] of tools.entries())
    if (!known.some(({ id }) => id === name))
      issues.push({
        path: `tools.${index}`,
        message: `"${name}" is no operation that a skill can use: see the operationIds of GET /openapi.json`,
      })
  if (issues.length > 0) throw invalid(issues)
  return known.length > 0 ? assertScopesOf(known) : undefined
}

/** Asserts that the caller has the scopes of each operation, and names the first whose scopes it lacks. */
export const assertScopesOf = (operations: Operation[]): Statement =>
  call('assert_tools', JSON.stringify(operations.map(({ id, scopes }) => ({ name: id, scopes }))))
