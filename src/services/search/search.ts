import { sql } from 'drizzle-orm'
import { db } from '../../data/db.ts'
import { read } from '../../data/plan.ts'
import { mapResult, rows, type Select, type Warning, WithWarnings } from '../../data/query.ts'
import { toEmailAddress } from '../../domain/email-addresses.ts'
import { toE164 } from '../../domain/phone.ts'
import { isId } from '../../lib/ids.ts'
import type { SearchQuery, Section } from '../../schemas/search.ts'

const ALL: Section[] = ['contacts', 'companies', 'opportunities']
const TYPES = { contacts: 'contact', companies: 'company', opportunities: 'opportunity' } as const

type Match = { section: Section; id: string | null; title: string; subtitle: string | null; matched_on: string; score: number }

/** Searches contacts, companies and opportunities; the best matches of each come first. */
export function searchAll({ q, types, limit }: SearchQuery) {
  const sections = (types as Section[] | undefined) ?? ALL
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
  return read(mapResult(rows(select as unknown as Select<Match>), (matches) => bySection(sections, matches)))
}

/** Groups the results by section. A section that the key cannot read is left out with a warning. */
function bySection(sections: Section[], matches: Match[]): WithWarnings<Partial<Record<Section, unknown[]>>> {
  const hidden = new Set(matches.filter(({ id }) => id === null).map(({ section }) => section))
  const shown = sections.filter((section) => !hidden.has(section))
  const hitsOf = (section: Section) =>
    matches.filter((hit) => hit.section === section).map(({ section, ...hit }) => ({ type: TYPES[section], ...hit }))
  return new WithWarnings(Object.fromEntries(shown.map((section) => [section, hitsOf(section)])), [...hidden].map(warningOf))
}

const warningOf = (section: Section): Warning => ({
  code: 'INSUFFICIENT_SCOPE',
  field: section,
  message: `The API key lacks the scope ${section}:read, so this section is left out`,
  details: { required_scopes: [`${section}:read`] },
})
