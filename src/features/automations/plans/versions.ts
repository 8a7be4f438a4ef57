import { and, eq, sql } from 'drizzle-orm'
import { automations, automationVersions } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { assertExists } from '../../../data/store.ts'

const part = (name: string) => sql<Record<string, unknown>>`automation_versions.definition -> ${sql.raw(`'${name}'`)}`.as(name)
const parts = (name: string) => sql<Record<string, unknown>[]>`automation_versions.definition -> ${sql.raw(`'${name}'`)}`.as(name)
const { id, number, published_by, created_at } = automationVersions
const fields = {
  id,
  number,
  trigger: part('trigger'),
  conditions: parts('conditions'),
  steps: parts('steps'),
  enrolment: part('enrolment'),
  published_by,
  created_at,
}
const versionsWith = (keys: Keys) => db.select({ ...fields, ...keys }).from(automationVersions)

/** The versions of an automation, newest first. */
export function listVersions(automation: string, query: { limit: number; after?: string | undefined }) {
  const versions = page({
    select: versionsWith,
    id,
    where: [eq(automationVersions.automation_id, automation)],
    sorts: { number },
    name: `versions ${automation}`,
    query: { ...query, sort: '-number' },
  })
  return plan([assertExists(automations, automation, 'automation')], versions)
}

export function getVersion(automation: string, wanted: number) {
  const where = and(eq(automationVersions.automation_id, automation), eq(number, wanted))
  return plan([], oneOrThrow(db.select(fields).from(automationVersions).where(where), 'version'))
}
