import { sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { db } from '../../../data/db.ts'
import { read } from '../../../data/plan.ts'
import { mapResult, rows, typed, type Warning, WithWarnings } from '../../../data/query.ts'
import { toEmailAddress } from '../../../domain/email-addresses.ts'
import { toE164 } from '../../../domain/phone.ts'
import { entityOf } from '../../../domain/records.ts'
import { isId } from '../../../lib/ids.ts'
import { SECTIONS, type SearchQuery, type SearchResult, type Section } from '../../../schemas/search.ts'

type Match = { section: Section; id: string | null; title: string; subtitle: string | null; matched_on: string; score: number }

/** Searches contacts, companies, opportunities and documents; the best matches of each come first. */
export const searchAll = (query: SearchQuery) => read(recordsOf(query))

export function recordsOf({ q, types, limit }: SearchQuery) {
  const sections: readonly Section[] = (types as Section[] | undefined) ?? SECTIONS
  const parameters = {
    q,
    sections,
    limit,
    ...(isId(q) && { id: q.toLowerCase() }),
    ...(q.includes('@') && { email: toEmailAddress(q.trim()) ?? q.toLowerCase() }),
    ...(/\d/.test(q) && !/\p{L}/u.test(q) && { phone: toE164(q) }),
  }
  const column = <Type>(name: string) => sql<Type>`f.${sql.identifier(name)}`.as(name)
  const select = db
    .select({
      section: column<Section>('section'),
      id: column<string | null>('id'),
      title: column<string>('title'),
      subtitle: column<string | null>('subtitle'),
      matched_on: column<string>('matched_on'),
      score: column<number>('score'),
    })
    .from(sql`search_records(${JSON.stringify(parameters)}::jsonb) f`)
  return mapResult(rows(typed<Match>(select)), (matches) => bySection(sections, matches))
}

/** Groups the results by section. A section that the caller cannot read is left out with a warning. */
function bySection(sections: readonly Section[], matches: Match[]): WithWarnings<v.InferOutput<typeof SearchResult>> {
  const hidden = new Set(matches.filter(({ id }) => id === null).map(({ section }) => section))
  const shown = sections.filter((section) => !hidden.has(section))
  const hitsOf = (section: Section) =>
    matches
      .filter((hit) => hit.section === section)
      .map(({ section, ...hit }) => ({ type: section === 'documents' ? ('document' as const) : entityOf(section), ...hit }))
  return new WithWarnings(Object.fromEntries(shown.map((section) => [section, hitsOf(section)])), [...hidden].map(warningOf))
}

const warningOf = (section: Section): Warning => ({
  code: 'INSUFFICIENT_SCOPE',
  field: section,
  message: `The API key or its owner’s role lacks the scope ${section}:read, so this section is left out`,
  details: { required_scopes: [`${section}:read`] },
})
