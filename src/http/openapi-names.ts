import type { Endpoint } from './endpoint.ts'

/** An operationId per endpoint, in order: listContacts, createContact, getContactLocalTime, bulkUpdateContacts. */
export function operationIds(endpoints: Endpoint[]): string[] {
  const collections = new Set(endpoints.filter(({ method }) => method === 'GET').map(({ path }) => path))
  const spoken = endpoints.map((endpoint) => operationId(endpoint, collections.has(endpoint.path)))
  return spoken.map((id, index) => (spoken.filter((other) => other === id).length === 1 ? id : longId(endpoints[index] as Endpoint)))
}

const VERBS = { GET: 'get', POST: 'add', PUT: 'set', PATCH: 'update', DELETE: 'delete' }

function operationId({ method, path, list, status }: Endpoint, isCollection: boolean): string {
  const segments = path.split('/').filter(Boolean)
  const nouns = segments.flatMap((segment, index) =>
    segment.startsWith(':') ? [] : [segments[index + 1]?.startsWith(':') ? singular(segment) : segment],
  )
  const last = nouns.at(-1) as string
  if (method === 'POST' && (status === 201 || isCollection))
    return camel(status === 201 ? 'create' : 'add', ...nouns.slice(0, -1), singular(last))
  // What ends the path of any other POST is what is done: /opportunities/:opportunity_id/move.
  if (method === 'POST' && nouns.length > 1 && !segments.at(-1)?.startsWith(':')) return camel(last, ...nouns.slice(0, -1))
  return camel(list ? 'list' : VERBS[method], ...nouns)
}

const longId = ({ method, path }: Endpoint) => camel(method.toLowerCase(), ...path.split('/').map((segment) => segment.replace(':', 'by-')))

function singular(plural: string): string {
  if (plural.endsWith('ies')) return `${plural.slice(0, -3)}y`
  return /(ss|us|x|ch|sh)es$/.test(plural) ? plural.slice(0, -2) : plural.replace(/([^su])s$/, '$1')
}

const camel = (...words: string[]) =>
  words
    .filter(Boolean)
    .join('-')
    .replace(/[-_]+(\w)/g, (_, letter: string) => letter.toUpperCase())
