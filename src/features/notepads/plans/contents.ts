import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { notepads, notepadVersions } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { assertField, oneOrThrow, rows } from '../../../data/query.ts'
import { assertExists, columnsFor } from '../../../data/store.ts'
import { AppError, invalid } from '../../../errors.ts'
import type { Replaced } from '../rules/notepad-sections.ts'
import { MAX_CONTENT_BYTES, MAX_VERSIONS } from '../rules/notepads.ts'
import { type Notepad, type NotepadSection, NotepadVersion, NotepadVersionDetails } from '../schemas/notepads.ts'
import { lockNotepad, summaryOf, WHAT } from './notepads.ts'

const setContent = (id: string, content: string | SQL): Statement => sql`update notepads set content = ${content} where id = ${id}`

/** Replaces the content of the version that If-Match names. An approved request was checked when it was sent. */
export function replaceContent(ctx: Ctx, id: string, content: string): Plan<Notepad> {
  if (ctx.received && !ctx.received.headers.has('if-match'))
    throw invalid([
      { path: 'If-Match', message: 'send the ETag of the notepad as you have read it, so that no other change is lost; * stands for any' },
    ])
  return plan([...lockNotepad(ctx, id), setContent(id, content)], summaryOf(id))
}

const TOO_LONG = `The notepad would be longer than ${MAX_CONTENT_BYTES / 1_000_000} MB: begin another one`

/** Adds text on a line of its own, in one statement, so that of additions at the same time none is lost. */
export function addContent(ctx: Ctx, id: string, text: string, place: 'end' | 'start'): Plan<Notepad> {
  const [before, after] = place === 'end' ? [sql`content`, sql`${text}::text`] : [sql`${text}::text`, sql`content`]
  const newline = sql`case when ${before} = '' or ${after} = '' or right(${before}, 1) = E'\n' then '' else E'\n' end`
  const joined = sql`${before} || ${newline} || ${after}`
  return plan(
    [
      ...lockNotepad(ctx, id),
      assertField(sql`(select octet_length(${joined}) <= ${MAX_CONTENT_BYTES}::int from notepads where id = ${id})`, 'content', TOO_LONG),
      setContent(id, joined),
    ],
    summaryOf(id),
  )
}

/** Stands for a content that was not read yet: the digest is that of none. */
const UNREAD = { content: '', sha256: '' }

/**
 * Replaces the text below a heading in the content that was read. If it changes before the transaction has it, the section is replaced in
 * the new one.
 */
export async function replaceSectionOf(ctx: Ctx, id: string, { path, content: body }: NotepadSection): Promise<Plan<Notepad>> {
  const { replaceSection } = await import('../rules/notepad-sections.ts')
  const stored = oneOrThrow(
    db.select({ content: notepads.content, sha256: notepads.content_sha256 }).from(notepads).where(eq(notepads.id, id)),
    WHAT,
    id,
  )
  const locked = sql`(select ${notepads.content_sha256} from ${notepads} where ${notepads.id} = ${id} for update)`
  const { content, sha256 } = await ctx.assume(stored, UNREAD, ({ sha256 }) => sql`${locked} is not distinct from ${sha256}`)
  const replaced = sha256 === UNREAD.sha256 ? content : contentOf(replaceSection(content, path, body))
  return plan([...lockNotepad(ctx, id), setContent(id, replaced)], summaryOf(id))
}

/** @throws CONFLICT for a path of several sections, VALIDATION_ERROR for any other fault */
function contentOf(result: Replaced): string {
  if ('content' in result) {
    if (new TextEncoder().encode(result.content).length > MAX_CONTENT_BYTES) throw invalid([{ path: 'content', message: TOO_LONG }])
    return result.content
  }
  if (result.fault === 'ambiguous')
    throw new AppError('CONFLICT', 'Several sections have this heading: name those above it too, or rename one', { paths: result.paths })
  if (result.fault === 'unknown') throw invalid([{ path: 'path', message: unknownPath(result.paths) }])
  const message =
    result.fault === 'escapes'
      ? `must only have headings below the section's own: ${'#'.repeat(result.level + 1)} or more. Leave out the heading itself`
      : 'would change other sections: close its code fences and other open blocks'
  throw invalid([{ path: 'content', message }])
}

const unknownPath = (paths: string[][]) =>
  paths.length === 0
    ? 'the notepad has no headings: append the section instead'
    : `the notepad has no such heading. It has ${paths.map((path) => path.join(' › ')).join('; ')}`

const versionColumns = columnsFor(notepadVersions, NotepadVersion)

/** The latest contents that were changed, newest first. */
export const listVersions = (id: string): Plan<NotepadVersion[]> =>
  plan(
    [assertExists(notepads, id, WHAT)],
    rows(
      db
        .select(versionColumns)
        .from(notepadVersions)
        .where(eq(notepadVersions.notepad_id, id))
        .orderBy(desc(notepadVersions.created_at), desc(notepadVersions.id))
        .limit(MAX_VERSIONS),
    ),
  )

const isOf = (id: string, versionId: string) => and(eq(notepadVersions.notepad_id, id), eq(notepadVersions.id, versionId))
const VERSION = 'version of this notepad'

export const getVersion = (id: string, versionId: string): Plan<NotepadVersionDetails> =>
  read(
    oneOrThrow(
      db.select(columnsFor(notepadVersions, NotepadVersionDetails)).from(notepadVersions).where(isOf(id, versionId)),
      VERSION,
      versionId,
    ),
  )

/** Makes an earlier content the present one. What it replaces is a version then. */
export const restoreVersion = (ctx: Ctx, id: string, versionId: string): Plan<Notepad> =>
  plan(
    [
      ...lockNotepad(ctx, id),
      sql`select assert_exists(exists (select from notepad_versions where notepad_id = ${id} and id = ${versionId}),
        ${VERSION}, ${versionId}::uuid)`,
      setContent(id, sql`(select v.content from notepad_versions v where v.notepad_id = ${id} and v.id = ${versionId})`),
    ],
    summaryOf(id),
  )
