// biome-ignore lint/suspicious/noExplicitAny: JSON Schema is walked
export type Schema = Record<string, any>

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

export interface Content {
  type: string
  schema: Schema
  example?: unknown
}

export interface Reply {
  status: string
  description: string
  contents: Content[]
}

export interface Operation {
  id: string
  method: string
  path: string
  tag: string
  summary: string
  description: string
  deprecated: boolean
  scopes: string[]
  isPublic: boolean
  parameters: Parameter[]
  body?: { required: boolean; contents: Content[] }
  replies: Reply[]
  /** Error codes by status. */
  errors: { status: string; codes: string[] }[]
}

export interface Group {
  title: string
  operations: Operation[]
}

export interface Resource {
  name: string
  slug: string
  description: string
  deprecated: boolean
  groups: Group[]
  operations: Operation[]
}

export interface Reference {
  title: string
  version: string
  description: string
  /** Where the API is served, such as /v1. */
  base: string
  resources: Resource[]
  schemas: Record<string, Schema>
}

export const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

export const refName = (ref: string) => ref.split('/').at(-1) as string

/** Everything the pages need, from an OpenAPI document. */
export function readDocument(text: string): Reference {
  const document = JSON.parse(text) as Schema
  shareExamples(document.components.schemas)
  const operations = Object.entries(document.paths as Record<string, Schema>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => operationOf(document, method, path, raw as Schema)),
  )
  return {
    title: document.info.title,
    version: document.info.version,
    description: document.info.description ?? '',
    base: new URL(document.servers[0].url).pathname,
    resources: (document.tags as Schema[]).map(({ name, description = '' }) => resourceOf(name, description, operations)),
    schemas: document.components.schemas,
  }
}

/** If a field has an example in a request, responses show the same example. */
function shareExamples(schemas: Record<string, Schema>): void {
  const known = new Map<string, unknown[]>()
  const fields = Object.values(schemas).flatMap(fieldsIn)
  for (const [name, { examples, type }] of fields) if (examples?.length > 0) known.set(`${name} ${[type].flat()[0]}`, examples)
  for (const [name, field] of fields) {
    const examples = known.get(`${name} ${[field.type].flat()[0]}`)
    if (examples && !field.examples && !field.enum && !field.format) field.examples = examples
  }
}

function fieldsIn(schema: Schema): [string, Schema][] {
  const own = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  const inner = [...own.map(([, field]) => field), ...(schema.items ? [schema.items as Schema] : [])]
  return [...own, ...inner.flatMap(fieldsIn)]
}

function resourceOf(name: string, description: string, all: Operation[]): Resource {
  const groups = groupsOf(all.filter(({ tag }) => tag === name))
  const operations = groups.flatMap((group) => group.operations)
  return { name, slug: slugOf(name), description, deprecated: operations.every(({ deprecated }) => deprecated), groups, operations }
}

function operationOf(document: Schema, method: string, path: string, raw: Schema): Operation {
  const resolve = (part: Schema): Schema =>
    part.$ref
      ? (part.$ref as string)
          .slice(2)
          .split('/')
          .reduce((at, step) => at[step], document)
      : part
  const replies = Object.entries(raw.responses as Record<string, Schema>).map(([status, reply]) => replyOf(status, resolve(reply)))
  const security = (raw.security ?? []) as Record<string, string[]>[]
  return {
    id: raw.operationId,
    method: method.toUpperCase(),
    path,
    tag: raw.tags[0],
    summary: raw.summary,
    description: raw.description ?? '',
    deprecated: raw.deprecated === true,
    scopes: Object.values(security[0] ?? {})[0] ?? [],
    isPublic: security.length === 0,
    parameters: (raw.parameters ?? []).map(resolve),
    ...(raw.requestBody && { body: { required: raw.requestBody.required === true, contents: contentsOf(raw.requestBody) } }),
    replies: replies.filter(({ status }) => status < '400'),
    errors: replies.filter(({ status }) => status >= '400').map(({ status, contents }) => ({ status, codes: codesOf(contents) })),
  }
}

const contentsOf = (part: Schema): Content[] =>
  Object.entries((part.content ?? {}) as Record<string, Schema>).map(([type, { schema = {}, example }]) => ({ type, schema, example }))

const replyOf = (status: string, reply: Schema): Reply => ({ status, description: reply.description, contents: contentsOf(reply) })

const codesOf = (contents: Content[]): string[] => contents[0]?.schema.properties?.error?.properties?.code?.enum ?? []

const ENOUGH_FOR_A_GROUP = 3
const PLAIN = ''
const ACTIONS = 'Actions'

/** Sorts the records themselves first, then the collections below them, then other operations. */
function groupsOf(operations: Operation[]): Group[] {
  const byPart = Map.groupBy(operations, ({ path }) => partOf(path))
  const isOwn = ([part, members]: [string, Operation[]]) => part !== PLAIN && members.length >= ENOUGH_FOR_A_GROUP
  const plain = byPart.get(PLAIN) ?? []
  const alone = [...byPart].filter(([part, members]) => part !== PLAIN && !isOwn([part, members])).flatMap(([, members]) => members)
  return [
    { title: '', operations: plain.sort(byVerb) },
    ...(plain.length > 0 ? [{ title: ACTIONS, operations: alone.sort(byVerb) }] : [{ title: '', operations: alone.sort(byVerb) }]),
    ...[...byPart].filter(isOwn).map(([part, members]) => ({ title: titleOf(part), operations: members.sort(byVerb) })),
  ].filter((group) => group.operations.length > 0)
}

/** The first fixed segment of a path below the record: `products` of /opportunities/{id}/products/{id}. */
function partOf(path: string): string {
  const [, ...below] = path.split('/').filter((step) => step !== '' && !step.startsWith('{'))
  const part = below[0] ?? PLAIN
  return part.startsWith('bulk-') ? 'bulk' : part === 'merge' ? 'merges' : part
}

function titleOf(part: string): string {
  const words = part.replaceAll('-', ' ')
  return words === 'bulk' ? 'Bulk calls' : words.charAt(0).toUpperCase() + words.slice(1)
}

const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** List, get, create, update, delete; the shorter path first. */
const byVerb = (a: Operation, b: Operation) => rank(a) - rank(b)
const rank = ({ method, path }: Operation) => VERBS.indexOf(method) * 100 + path.split('/').length
