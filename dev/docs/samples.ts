import { exampleOf } from '../../src/http/openapi/examples.ts'
import { type Operation, type Parameter, refName, type Schema } from './document.ts'

const INDENT = 2
const UUID = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'

/** The minimum of a call: its path, its required parameters and its body. */
export interface Call {
  method: string
  /** Below the base, with example values in place of its parameters. */
  path: string
  isPublic: boolean
  type?: string
  json?: unknown
  /** The media type of a successful response. */
  accepts: string
}

export function callOf({ method, path, parameters, body, isPublic, replies }: Operation): Call {
  const required = parameters.filter((parameter) => parameter.required)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    return encodeURIComponent(parameter ? exampleValue(parameter) : name)
  })
  const query = new URLSearchParams(required.filter((one) => one.in === 'query').map((one) => [one.name, exampleValue(one)]))
  const content = body?.contents[0]
  return {
    method,
    path: query.size > 0 ? `${filled}?${query}` : filled,
    isPublic,
    accepts: replies[0]?.contents[0]?.type ?? 'application/json',
    ...(content && { type: content.type }),
    ...(content?.type === 'application/json' && { json: content.example ?? {} }),
  }
}

/** The fields with which "Try it" begins: those that are required, and others until there are three. */
const MOST_FIELDS = 3

/** Fields without which a body is refused although none of them is required by itself. A test finds what is missing here. */
const NEEDED: Record<string, string[]> = {
  createList: ['filter'],
  sendMessage: ['subject'],
  sendEmail: ['text'],
  replyToEmailThread: ['text'],
  createAutoQueueStep: ['action'],
  createAutoSchedule: ['cron_expression'],
  createApprovalPolicy: ['events'],
}

/** The example of a body, shortened to a few of its fields, which a reader can complete. Anything but an object stays whole. */
export function shortBodyOf({ id, body }: Operation, schemas: Record<string, Schema>): unknown {
  const { schema = {}, example } = body?.contents[0] ?? {}
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example
  const declared = (schema.$ref ? schemas[refName(schema.$ref)] : schema) as Schema
  const required: string[] = [...(declared.required ?? []), ...(NEEDED[id] ?? [])]
  const names = Object.keys(example)
  const others = names.filter((name) => !required.includes(name)).slice(0, Math.max(0, MOST_FIELDS - required.length))
  return Object.fromEntries(Object.entries(example).filter(([name]) => required.includes(name) || others.includes(name)))
}

/** A value that the parameter accepts. */
export function exampleValue({ name, schema }: Pick<Parameter, 'name' | 'schema'>): string {
  if (schema.examples?.length > 0) return String(schema.examples[0])
  if (schema.enum) return String(schema.enum[0])
  if (schema.format === 'uuid') return UUID
  if (schema.default !== undefined) return String(schema.default)
  if (schema.format === 'date') return '2026-03-31'
  if (schema.format === 'date-time') return '2026-03-31T09:30:00.000Z'
  if (schema.type === 'integer') return String(schema.minimum ?? 1)
  return schema.type === 'boolean' ? 'true' : name
}

export const pretty = (value: unknown) => JSON.stringify(value, null, INDENT)

/** In single quotes for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export function curlOf({ method, path, isPublic, type, json }: Call): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$BASE${path}"`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...(json === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(pretty(json))}`]),
    ...(type === 'multipart/form-data' ? ['-F file=@file.csv'] : []),
  ]
  return lines.join(' \\\n  ')
}

export function fetchOf({ method, path, isPublic, type, json, accepts }: Call): string {
  const form = type === 'multipart/form-data'
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the sample's own template
    ...(isPublic ? [] : ['Authorization: `Bearer ${KEY}`']),
    ...(json === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} },`] : []),
    ...(json === undefined ? [] : [`body: JSON.stringify(${literal(json)}),`]),
    ...(form ? ['body: form,'] : []),
  ]
  const given = options.length > 0 ? `, {\n${options.map((option) => `  ${option.replaceAll('\n', '\n  ')}`).join('\n')}\n}` : ''
  return [
    ...(form ? ["const form = new FormData()\nform.set('file', file)"] : []),
    `const response = await fetch(\`\${BASE}${path}\`${given})`,
    'if (!response.ok) throw new Error(await response.text())',
    accepts === 'application/json' ? 'const { data } = await response.json()' : 'const text = await response.text()',
  ].join('\n')
}

/** Formats a value as TypeScript, without unnecessary quotes around keys. */
const literal = (value: unknown) => pretty(value).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')

/** The body of a successful response, from its schema. */
export function replyExample(schema: Schema, schemas: Record<string, Schema>): string {
  const shown = { ...schema, properties: onlyRequired(schema) }
  return pretty(exampleOf(schema.properties ? shown : schema, schemas))
}

/** Warnings and the report of a dry run are left out, because most responses have neither. */
const onlyRequired = ({ properties = {}, required = [] }: Schema) =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => (required as string[]).includes(name)))
