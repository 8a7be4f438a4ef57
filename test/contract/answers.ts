import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { allEndpoints } from '../../routes/index.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { openapi } from '../../src/http/openapi/document.ts'

const endpoints = await allEndpoints()

type Check = (body: unknown) => string[]
/** Validators by their place in the document; error responses share theirs. */
const checks = new Map<string, Check>()

// biome-ignore lint/suspicious/noExplicitAny: a document is walked
const open = JSON.parse(JSON.stringify(openapi(endpoints))) as any
const document = closed(open)
const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: false })
;(formats as unknown as (ajv: Ajv2020) => void)(ajv)
ajv.addSchema(document, 'document')

/** Returns the faults of a response: a status or body that the OpenAPI document does not allow, or a field that it does not name. */
export function faultsOf({ method, path }: Endpoint, status: number, body: unknown): string[] {
  const own = ['paths', path.replace(/:(\w+)/g, '{$1}'), method.toLowerCase(), 'responses', String(status)]
  const response = own.reduce((at, step) => at?.[step], document)
  if (!response) return [`status ${status} is not documented`]
  const place: string[] = response.$ref ? response.$ref.slice(2).split('/') : own
  const pointer = [...place, 'content', 'application/json', 'schema']
    .map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const check = checks.get(pointer) ?? checkFor(pointer)
  checks.set(pointer, check)
  return check(body)
}

function checkFor(pointer: string): Check {
  const validate = ajv.compile({ $ref: `document#/${pointer}` })
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
}

/** The document with every object closed, because a field that it does not name would be a leak. */
// biome-ignore lint/suspicious/noExplicitAny: a document is walked
function closed(node: any): any {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  if (Array.isArray(node.allOf)) return closed(joined(node.allOf))
  const walked = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  return walked.type === 'object' && walked.properties && walked.additionalProperties === undefined
    ? { ...walked, additionalProperties: false }
    : walked
}

/** Schemas of objects as one, so that it can be closed. */
// biome-ignore lint/suspicious/noExplicitAny: a document is walked
function joined(schemas: any[]): any {
  const parts = schemas.map(({ $ref, ...schema }) => ($ref ? open.components.schemas[$ref.split('/').at(-1)] : schema))
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  }
}
