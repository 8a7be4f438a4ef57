import { escapeHtml } from '../../../lib/html.ts'
import { withoutLinks } from '../../../lib/text.ts'

type Change = { from: string; to: string }
type RequestFacts = { title: string; description: string | null; type: string; priority: string; status: string; queue: string }

const words = (value: string) => value.replaceAll('_', ' ')
const NAMES: Record<string, string> = { status: 'Status', queue: 'Queue', priority: 'Priority' }

/** What the engineering team reads of a new request. */
export function newRequestLines(workspace: string, request: RequestFacts): string[] {
  const { title, description, type, priority, queue } = request
  const facts = `Type: ${words(type)}. Priority: ${priority}. Queue: ${queue}.`
  return [`New service request of ${workspace}: ${title}`, facts, ...(description ? [description] : [])]
}

/** What the requester reads of changes. Texts that people choose have no links. */
export function changedRequestLines(request: RequestFacts, changes: Record<string, Change>): string[] {
  const lines = Object.entries(changes).map(([name, { from, to }]) => `${NAMES[name] ?? name}: ${words(to)} (was ${words(from)})`)
  return [`Your service request “${withoutLinks(request.title)}” has changed.`, ...lines]
}

/** The lines as an email. */
export const linesAsEmail = (subject: string, lines: string[]) => ({
  subject,
  text: lines.join('\n\n'),
  html: lines.map((line) => `<p>${escapeHtml(line).replaceAll('\n', '<br>')}</p>\n`).join(''),
})
