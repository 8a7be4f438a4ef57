import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Html } from './html.ts'
import { type Heading, markdown } from './markdown.ts'

export interface Guide {
  title: string
  url: string
  /** Its first paragraph, as Markdown. */
  summary: string
  body: Html
  headings: Heading[]
  text: string
}

/** In the order in which a newcomer reads them. Errors have their own address, because every error response links to it. */
const ORDER = [
  'quickstart',
  'authentication',
  'pagination',
  'filters',
  'custom-fields',
  'delivery',
  'idempotency',
  'events',
  'webhooks',
  'automations',
  'scheduling',
  'calendars',
  'mailboxes',
  'inbox',
  'orders',
  'reputation',
  'lead-generation',
  'service-requests',
  'agencies',
  'approvals',
  'imports-and-exports',
  'export-templates',
  'documents',
  'whiteboards',
  'notepads',
  'skills',
  'knowledge-bases',
  'auto-responders',
  'merging',
  'clients',
  'calls',
  'agents',
  'transcripts',
  'operating',
  'errors',
]

export function readGuides(folder: string): Guide[] {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
  const unknown = names.filter((name) => !ORDER.includes(name))
  if (unknown.length > 0) throw new Error(`Guides without a place in dev/docs/guides.ts: ${unknown.join(', ')}`)
  return ORDER.filter((name) => names.includes(name)).map((name) => readGuide(name, readFileSync(join(folder, `${name}.md`), 'utf8')))
}

function readGuide(name: string, text: string): Guide {
  const { body, headings } = markdown(text)
  const summary = text.split(/\n{2,}/)[1] ?? ''
  const url = name === 'errors' ? '/docs/errors' : `/docs/guides/${name}`
  return { title: headings[0]?.text ?? name, url, summary: summary.replaceAll('\n', ' '), body, headings, text }
}
