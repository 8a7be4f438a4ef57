import { getTableName, sql } from 'drizzle-orm'
import { type Candidates, columnsOf } from './candidates.ts'
import { contains, type Walk } from './list-scan.ts'
import type { Filtering, List } from './page.ts'

/** The list's filter combined with the search words of its query. */
export function withWords({ filter, query, id }: Pick<List<unknown>, 'filter' | 'query' | 'id'>): Filtering | undefined {
  if (query.search === undefined) return filter
  const holds = contains(id.table, query.search)
  const parts: Candidates[] = [{ words: query.search }, ...columnsOf(getTableName(id.table), query)]
  if (filter?.candidates) parts.push(filter.candidates)
  const candidates: Candidates = { all: parts }
  if (!filter) return { where: holds, candidates }
  const scan = filter.scan && sql`${filter.scan} and ${holds}`
  return { ...filter, where: sql`${filter.where} and ${holds}`, scan, candidates, entries: undefined }
}

/**
 * Sorts whose index includes search_text (0019, 0021), and how far a search reads in it (see Walk). Entries cost less in an order close to
 * that of the rows in the table, because neighbouring entries then check the visibility of rows on the same page. In a table as large as
 * opportunities, the index by name would cost more than the candidates.
 */
export const WITH_WORDS: Record<string, Partial<Record<'created_at' | 'updated_at' | 'name', number>>> = {
  contacts: { created_at: 26, updated_at: 26, name: 8 },
  companies: { created_at: 26, updated_at: 26, name: 8 },
  opportunities: { created_at: 26, updated_at: 26 },
  products: { created_at: 26, name: 8 },
  tasks: { created_at: 26, updated_at: 26 },
}

/** The search words of a list, if an index in its order includes search_text. */
export function walkOf({ id, where, either, filter, query }: List<unknown>, sort: string, entries: Walk['entries']): Walk | undefined {
  const words = query.search ?? wordsOf(filter?.candidates)
  const order = sort.replace('-', '') as 'created_at' | 'updated_at' | 'name'
  const near = WITH_WORDS[getTableName(id.table)]?.[order]
  // A range of times may begin anywhere in the list; its own index leads there.
  const hasRange = Object.keys(query).some((name) => /_(after|before)$/.test(name) && query[name] !== undefined)
  if (words === undefined || near === undefined || hasRange || either) return undefined
  // The indexes of filters are in the order of creation.
  const isFiltered = where.some((condition) => condition !== undefined)
  return { words, complete: !filter && !isFiltered, filtered: isFiltered && order === 'created_at', near, entries }
}

function wordsOf(candidates: Candidates | undefined): string | undefined {
  if (!candidates) return undefined
  if ('words' in candidates) return candidates.words
  return 'all' in candidates ? candidates.all.map(wordsOf).find((words) => words !== undefined) : undefined
}
