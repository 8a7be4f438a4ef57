import { type Operation, type Reference, refName, type Schema } from './document.ts'
import type { Guide } from './guides.ts'
import { pageOf } from './layout.ts'

/** Title, address, method and path (or the guide's name), and whatever else a reader may search for, in lower case. */
export type SearchEntry = [title: string, url: string, kind: string, place: string, text: string]

/** One entry for each operation and each section of a guide. */
export function searchIndex({ resources, schemas }: Reference, guides: Guide[]): SearchEntry[] {
  const operations = resources.flatMap((resource) =>
    resource.operations.map(
      (operation): SearchEntry => [
        operation.summary,
        `${pageOf(resource)}#${operation.id}`,
        operation.method,
        operation.path,
        wordsOf(operation, schemas),
      ],
    ),
  )
  return [...operations, ...guides.flatMap(sectionsOf)]
}

/** Each word once, so that the index stays small. */
const distinct = (text: string) => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [])].join(' ')

function wordsOf({ id, tag, description, parameters, body, scopes, deprecated }: Operation, schemas: Record<string, Schema>): string {
  const schema = body?.contents[0]?.schema ?? {}
  const fields = Object.keys((schema.$ref ? schemas[refName(schema.$ref)] : schema)?.properties ?? {})
  const names = [...parameters.map(({ name }) => name), ...fields]
  const words = distinct([id, tag, scopes.join(' '), names.join(' '), description].join(' '))
  // The last word, by which the search ranks it lower.
  return deprecated ? `${words} deprecated` : words
}

function sectionsOf({ title, url, text, headings }: Guide): SearchEntry[] {
  const sections = text.split(/^#{1,4} /m).slice(1)
  return headings.map((heading, index): SearchEntry => {
    const anchor = heading.level === 1 ? '' : `#${heading.id}`
    return [heading.text.replaceAll('`', ''), `${url}${anchor}`, 'GUIDE', heading.level === 1 ? '' : title, distinct(sections[index] ?? '')]
  })
}
