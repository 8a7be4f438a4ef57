import type { Operation, Reference, Resource } from './document.ts'
import type { Guide } from './guides.ts'
import { type Html, html } from './html.ts'

export interface Page {
  title: string
  /** Its address, such as /docs/contacts. */
  url: string
  body: Html
  resource?: Resource
}

/** The frame of every page: styles and scripts of our own, the navigation, and the content. */
export function layout({ title, url, body, resource }: Page, reference: Reference, guides: Guide[]): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === reference.title ? title : `${title} · ${reference.title}`}</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/theme.js"></script>
<script src="/docs/docs.js" defer></script>
</head>
<body data-base="${reference.base}"${resource && html` data-resource="${resource.slug}"`}>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<button type="button" id="menu" aria-label="Navigation" aria-expanded="false" aria-controls="nav">☰</button>
<a class="brand" href="/docs/">Workspace CRM <span>API</span></a>
<button type="button" id="search-open"><span>Search</span><kbd>/</kbd></button>
<button type="button" id="key-open">API key</button>
<button type="button" id="theme" aria-label="Switch between light and dark">◐</button>
</header>
<nav id="nav" aria-label="Documentation">${renderNavigation(url, reference, guides, resource)}</nav>
<main id="content" tabindex="-1">
${body}
</main>
</body>
</html>
`.text
}

function renderNavigation(url: string, { resources }: Reference, guides: Guide[], shown?: Resource): Html {
  const link = (href: string, label: string) => html`<a href="${href}"${href === url && html` aria-current="page"`}>${label}</a>`
  const item = (resource: Resource) =>
    html`<li>${link(resource === shown ? url : pageOf(resource), resource.name)}${resource === shown && renderOperations(resource)}</li>`
  const old = resources.filter(({ deprecated }) => deprecated)
  return html`<h2>Guides</h2><ul>${guides.map((guide) => html`<li>${link(guide.url, guide.title)}</li>`)}</ul>
<h2>Reference</h2><ul>${resources.filter(({ deprecated }) => !deprecated).map(item)}</ul>
${old.length > 0 && html`<h2>Deprecated</h2><ul>${old.map(item)}</ul>`}`
}

function renderOperations({ groups }: Resource): Html {
  const entry = ({ id, method, summary }: Operation) =>
    html`<li><a href="#${id}"><span class="method ${method.toLowerCase()}">${SHORT[method] ?? method}</span>${summary}</a></li>`
  return html`<ul class="operations">${groups.map(
    ({ title, operations }) => html`${title && html`<li class="group">${title}</li>`}${operations.map(entry)}`,
  )}</ul>`
}

const SHORT: Record<string, string> = { DELETE: 'DEL' }

export const pageOf = ({ slug }: { slug: string }) => `/docs/${slug}`
/** The same with everything unfolded: a reader without scripts needs no other. */
export const fullPageOf = ({ slug }: { slug: string }) => `/docs/full/${slug}`
