import { refName, type Schema } from './document.ts'
import { type Html, html } from './html.ts'
import { inline } from './markdown.ts'

/** Describes a schema in words: `string`, `uuid`, `array of Contact`. */
export function typeOf(schema: Schema): string {
  if (schema.$ref) return refName(schema.$ref)
  if (schema.allOf) return typeOf(schema.allOf[0])
  if ('const' in schema) return JSON.stringify(schema.const)
  const types = [schema.type ?? (schema.enum ? 'enum' : schema.oneOf || schema.anyOf ? 'one of several' : 'any')].flat() as string[]
  const named = types.filter((type) => type !== 'null').map((type) => namedType(type, schema))
  return [...named, ...(types.includes('null') ? ['null'] : [])].join(' or ')
}

function namedType(type: string, schema: Schema): string {
  if (type === 'array') return `array of ${schema.items ? typeOf(schema.items) : 'any'}`
  if (type === 'string' && schema.enum) return 'enum'
  if (type === 'string' && schema.format) return schema.format
  if (type === 'object' && !schema.properties && typeof schema.additionalProperties === 'object') return 'map'
  return type
}

/** The fields of an object, one row each. Any other value is described in one row. */
export function renderBody(schema: Schema): Html {
  if (schema.$ref) return renderReference(refName(schema.$ref))
  if (schema.properties) return renderFields(schema)
  return html`<div class="field">${renderFacts(schema)}${renderInside(schema)}</div>`
}

function renderFields({ properties, required = [] }: Schema): Html {
  const rows = Object.entries(properties as Record<string, Schema>).map(([name, schema]) =>
    renderField(name, schema, (required as string[]).includes(name)),
  )
  return html`<div class="fields">${rows}</div>`
}

export function renderField(name: string, schema: Schema, required: boolean, description = schema.description): Html {
  return html`<div class="field"><code class="name">${name}</code> \
<span class="type">${typeOf(schema)}</span>${required && html` <b class="required">required</b>`}${
    description && html`<p>${inline(description)}</p>`
  }${renderFacts(schema)}${renderInside(schema)}</div>`
}

/** Choices, limits, default and example. */
function renderFacts(schema: Schema): Html | false {
  const choices = (schema.enum ?? schema.items?.enum) as unknown[] | undefined
  const facts = factsOf(schema)
  const [example] = (schema.examples ?? []) as unknown[]
  const exampleFacts = isPlain(example) && !choices ? [['example', String(example)] as const] : []
  if (!choices && facts.length === 0 && exampleFacts.length === 0) return false
  return html`<p class="facts">${choices?.map((choice) => html`<code>${choice === null ? 'null' : String(choice)}</code> `)}${[
    ...facts,
    ...exampleFacts,
  ].map(([label, value]) => html`<span>${label} <code>${value}</code></span> `)}</p>`
}

const LIMITS: [string, string][] = [
  ['default', 'default'],
  ['minimum', 'min'],
  ['maximum', 'max'],
  ['minLength', 'min length'],
  ['maxLength', 'max length'],
  ['minItems', 'min items'],
  ['maxItems', 'max items'],
  ['maxProperties', 'max entries'],
  ['pattern', 'pattern'],
]

const factsOf = (schema: Schema) =>
  LIMITS.filter(([key]) => isPlain(schema[key])).map(([key, label]) => [label, String(schema[key])] as const)

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= 80

/** The parts of a field, in a fold. */
function renderInside(schema: Schema): Html | false {
  if (schema.$ref) return renderReference(refName(schema.$ref))
  if (schema.allOf) return html`${(schema.allOf as Schema[]).map(renderInside)}`
  const variants = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined
  if (variants)
    return fold(
      `${variants.length} forms`,
      variants.map((variant) => html`<div class="variant">${renderBody(variant)}</div>`),
    )
  if (schema.properties) return fold(`${Object.keys(schema.properties).length} fields`, [renderFields(schema)])
  if (schema.items) return renderInside(schema.items)
  const values = schema.additionalProperties
  return typeof values === 'object' && Object.keys(values).length > 0 ? fold('values', [renderBody(values)]) : false
}

const fold = (label: string, content: Html[]) => html`<details><summary>${label}</summary>${content}</details>`

/** A page contains each named object once; a script copies it when the fold is opened. */
const renderReference = (name: string) =>
  html`<details data-object="${name}"><summary>${name}</summary><a href="#object-${name}">See ${name} below</a></details>`

/** Every named object that these schemas lead to. */
export function namesIn(schemas: Record<string, Schema>, from: unknown[]): string[] {
  const names = new Set<string>()
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { $ref } = node as Schema
    if (typeof $ref === 'string' && !names.has(refName($ref))) {
      names.add(refName($ref))
      walk(schemas[refName($ref)])
    }
    for (const child of Object.values(node)) walk(child)
  }
  from.forEach(walk)
  return [...names].sort()
}
