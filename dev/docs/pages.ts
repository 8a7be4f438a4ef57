import type { Operation, Reference, Resource, Schema } from './document.ts'
import { refName } from './document.ts'
import type { Guide } from './guides.ts'
import { type Html, html } from './html.ts'
import { fullPageOf, layout, type Page, pageOf } from './layout.ts'
import { codeBlock, inline, markdown } from './markdown.ts'
import { renderContent, renderOperation } from './operation.ts'
import { callOf, curlOf, exampleValue, pretty, shortBodyOf } from './samples.ts'
import { namesIn, renderBody } from './schema.ts'
import { searchIndex } from './search-index.ts'

/** Every generated file, by its path below /docs. */
export function renderSite(reference: Reference, guides: Guide[]): Map<string, string> {
  const files = new Map<string, string>()
  const add = (page: Page) => {
    const file = page.url === '/docs/' ? 'index.html' : `${page.url.slice('/docs/'.length)}.html`
    if (files.has(file)) throw new Error(`Two pages have the address ${page.url}`)
    files.set(file, layout(page, reference, guides))
  }
  add({ title: reference.title, url: '/docs/', body: renderStart(reference, guides) })
  for (const guide of guides) add({ title: guide.title, url: guide.url, body: renderGuide(guide) })
  for (const resource of reference.resources) {
    add({ title: resource.name, url: pageOf(resource), body: renderResource(resource, reference), resource })
    add({ title: resource.name, url: fullPageOf(resource), body: renderFullResource(resource, reference), resource })
    for (const one of resource.operations) files.set(`${resource.slug}/${one.id}.json`, JSON.stringify(contentOf(one, reference)))
  }
  for (const [name, schema] of Object.entries(reference.schemas))
    files.set(`objects/${name}.json`, JSON.stringify({ html: renderObject(schema).text }))
  files.set('search.json', JSON.stringify(searchIndex(reference, guides)))
  return files
}

function renderGuide({ body, headings }: Guide): Html {
  const sections = headings.filter(({ level }) => level === 2)
  return html`<div class="guide"><div class="prose">${body}</div>${
    sections.length > 2 &&
    html`<aside aria-label="On this page"><h2>On this page</h2>\
<ul>${sections.map(({ id, text }) => html`<li><a href="#${id}">${inline(text)}</a></li>`)}</ul></aside>`
  }</div>`
}

function renderStart({ title, version, description, base, resources }: Reference, guides: Guide[]): Html {
  const card = (href: string, name: string, text: Html | string) =>
    html`<a class="card" href="${href}"><b>${name}</b><span>${text}</span></a>`
  const count = ({ operations }: Resource) => `${operations.length} operation${operations.length === 1 ? '' : 's'}`
  return html`<div class="prose"><h1>${title}</h1><p class="meta">Version ${version} · served at <code>${base}</code> · \
<a href="${base}/openapi.json">OpenAPI 3.1 document</a></p>
${renderFirstCall(resources)}${markdown(description).body}
<h2>Guides</h2><div class="cards">${guides.map((guide) => card(guide.url, guide.title, inline(guide.summary)))}</div>
<h2>Reference</h2><div class="cards small">\
${resources.filter(({ deprecated }) => !deprecated).map((one) => card(pageOf(one), one.name, count(one)))}</div>
</div>`
}

/** One call and its result, with which a reader begins. */
function renderFirstCall(resources: Resource[]): Html | false {
  const first = resources.flatMap(({ operations }) => operations).find(({ id }) => id === 'getCurrentKey')
  const example = first?.replies[0]?.contents[0]?.example as { data?: { user?: object; workspace?: object } } | undefined
  if (!first || !example) return false
  return html`<p>One call, with the key that <code>npm run dev</code> prints, and its result:</p>
${codeBlock(curlOf(callOf(first)), 'sh')}${codeBlock(pretty(example), 'json')}`
}

/**
 * One line for each operation and object. Their content is loaded when they are opened, so that the cost of a page does not depend on it.
 */
function renderResource(resource: Resource, reference: Reference): Html {
  const operation = (one: Operation) => renderOperation(one, reference.base)
  return html`${renderIntro(resource)}
<p class="meta"><a href="${fullPageOf(resource)}">Everything on one page</a>, to read, print or search</p>
${renderGroups(resource, operation)}
${renderObjects(namesOf(resource, reference), () => false)}`
}

function renderFullResource(resource: Resource, reference: Reference): Html {
  const operation = (one: Operation) => renderOperation(one, reference.base, renderContent(one, reference))
  return html`${renderIntro(resource)}
<p class="meta"><a href="${pageOf(resource)}">Back to the list</a></p>
${renderGroups(resource, operation)}
${renderObjects(namesOf(resource, reference), (name) => renderObject(reference.schemas[name] as Schema))}`
}

const renderIntro = ({ name, description }: Resource) => html`<div class="intro"><h1>${name}</h1>${markdown(description).body}</div>`

const renderGroups = ({ groups }: Resource, operation: (one: Operation) => Html) =>
  html`${groups.map(
    ({ title, operations }) => html`\
<section class="group">${title && html`<h2>${title}</h2>`}${operations.map(operation)}</section>`,
  )}`

const renderObjects = (names: string[], content: (name: string) => Html | false) =>
  names.length > 0 &&
  html`<section class="objects"><h2>Objects</h2>${names.map(
    (name) => html`<details class="object" id="object-${name}" data-object="${name}"><summary>${name}</summary>${content(name)}</details>`,
  )}</section>`

const renderObject = (schema: Schema) => html`${schema.description && html`<p>${inline(schema.description)}</p>`}${renderBody(schema)}`

const namesOf = ({ operations }: Resource, { schemas }: Reference) =>
  namesIn(
    schemas,
    operations.flatMap((operation) => schemasOf(operation, schemas)),
  )

/** The schemas whose named objects stand on the page. A request body is written out where it is used. */
function schemasOf({ body, replies }: Operation, schemas: Record<string, Schema>): unknown[] {
  const bodies = (body?.contents ?? []).map(({ schema }) => (schema.$ref ? schemas[refName(schema.$ref)] : schema))
  return [...bodies, ...replies.flatMap(({ contents }) => contents.map(({ schema }) => schema))]
}

/** The data that a page loads when an operation is opened: its content, and the request of "Try it". */
const contentOf = (operation: Operation, reference: Reference) => ({
  html: renderContent(operation, reference).text,
  call: requestOf(operation, reference),
})

function requestOf(operation: Operation, { schemas }: Reference) {
  const { type, json } = callOf(operation)
  const { method, path, summary, isPublic, parameters, body } = operation
  const fields = parameters.map(({ name, in: where, required = false, schema, description = '' }) => ({
    name,
    where,
    required,
    description,
    example: exampleValue({ name, schema }),
    choices: schema.type === 'boolean' ? ['true', 'false'] : (schema.enum ?? []).map(String),
  }))
  const types = body?.contents.map((content) => content.type) ?? []
  return {
    method,
    path,
    summary,
    isPublic,
    fields,
    type,
    types,
    body: json === undefined ? null : pretty(shortBodyOf(operation, schemas) ?? {}),
  }
}
