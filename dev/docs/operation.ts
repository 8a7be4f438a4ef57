import type { Operation, Parameter, Reference, Reply, Schema } from './document.ts'
import { refName } from './document.ts'
import { type Html, html } from './html.ts'
import { inline, markdown } from './markdown.ts'
import { callOf, curlOf, fetchOf, replyExample } from './samples.ts'
import { renderBody, renderField } from './schema.ts'

/** One operation as a fold: its line, and its content when it is given. Pages that leave it out fetch it when the fold is opened. */
export function renderOperation({ id, method, path, summary, deprecated }: Operation, base: string, content?: Html): Html {
  return html`<details class="operation" id="${id}"${content && html` open`}><summary>\
<span class="method ${method.toLowerCase()}">${method}</span><h3>${inline(
    summary,
  )}</h3>${deprecated && html`<span class="badge">Deprecated</span>`}<code>${base}${path}</code></summary>${content}</details>
`
}

/** The request and response of an operation on the left, samples on the right. */
export function renderContent(operation: Operation, { schemas }: Reference): Html {
  const { id } = operation
  return html`<div class="columns"><div class="facts-column">
${renderDescription(operation)}<p class="tools"><button type="button" class="primary" data-try="${id}">Try it</button>\
<button type="button" data-link="${id}">Copy link</button></p>
${renderParameters('Path parameters', operation, 'path')}\
${renderParameters('Query parameters', operation, 'query')}\
${renderParameters('Headers', operation, 'header')}
${renderRequestBody(operation, schemas)}
<h4>Responses</h4>${operation.replies.map(renderReply)}${renderErrors(operation)}
</div><div class="samples-column">${renderSamples(operation, schemas)}</div></div>`
}

/** Which scope is needed has a line of its own. */
function renderDescription({ description, scopes, isPublic }: Operation): Html {
  const paragraphs = description.split('\n\n').filter((text) => !/^Needs (`[^`]+`( and )?)+\.$|^Needs no key\.$/.test(text))
  const needs = isPublic ? 'No key needed' : scopes.length > 0 ? scopes.map((scope) => html`<code>${scope}</code> `) : 'Any key'
  return html`${markdown(paragraphs.join('\n\n')).body}<p class="scope">\
<span>${isPublic ? 'Access' : scopes.length > 1 ? 'Scopes' : 'Scope'}</span> ${needs}</p>`
}

function renderParameters(title: string, { parameters }: Operation, where: Parameter['in']): Html | false {
  const shown = parameters.filter((parameter) => parameter.in === where)
  if (shown.length === 0) return false
  const rows = shown.map(({ name, schema, required = false, description }) => renderField(name, schema, required, description))
  return html`<h4>${title}</h4><div class="fields">${rows}</div>`
}

function renderRequestBody({ body }: Operation, schemas: Record<string, Schema>): Html | false {
  if (!body) return false
  const contents = body.contents.map(({ type, schema }) => {
    // A body belongs to its operation, so it is shown here instead of among the shared objects.
    const own = schema.$ref ? (schemas[refName(schema.$ref)] as Schema) : schema
    return html`<p class="media"><code>${type}</code>${!body.required && ' optional'}</p>${renderBody(own)}`
  })
  return html`<h4>Request body</h4>${contents}`
}

function renderReply({ status, description, contents }: Reply): Html {
  const bodies = contents.map(({ type, schema }) =>
    type === 'application/json' ? renderBody(schema) : html`<p class="media"><code>${type}</code></p>`,
  )
  return html`<details class="reply"><summary><span class="status">${status}</span> ${inline(description)}</summary>${bodies}</details>`
}

function renderErrors({ errors }: Operation): Html {
  const rows = errors.map(
    ({ status, codes }) =>
      html`<li><span class="status">${status}</span> ${codes.map((code) => html`<a href="/docs/errors#${code}">${code}</a> `)}</li>`,
  )
  return html`<details class="reply"><summary><span class="status">4xx, 5xx</span> Errors</summary>\
<ul class="errors">${rows}</ul></details>`
}

function renderSamples(operation: Operation, schemas: Record<string, Schema>): Html {
  const call = callOf(operation)
  const [first] = operation.replies.filter(({ description }) => !description.startsWith('A dry run'))
  const content = first?.contents[0]
  const example =
    content?.type === 'application/json' &&
    (content.example ? JSON.stringify(content.example, null, 2) : replyExample(content.schema, schemas))
  return html`<figure class="code request"><figcaption><span class="tabs">\
<button type="button" data-language="curl" aria-pressed="true">curl</button>\
<button type="button" data-language="ts" aria-pressed="false">TypeScript</button></span>\
<button type="button" data-copy>Copy</button></figcaption><pre tabindex="0" class="curl"><code>${curlOf(call)}</code></pre>\
<pre tabindex="0" class="ts"><code>${fetchOf(call)}</code></pre></figure>${
    example &&
    html`<figure class="code"><figcaption>Response ${first?.status}<button type="button" data-copy>Copy</button></figcaption>\
<pre tabindex="0"><code>${example}</code></pre></figure>`
  }`
}
