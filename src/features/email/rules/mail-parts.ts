import { lastOfPath } from '../../../domain/file-names.ts'
import { MAX_ATTACHMENTS } from './emails.ts'
import { type Header, headerIn, readHeader } from './mail-headers.ts'

/** A part of an email. Its content is in base64url, or is fetched by `attachment_id`. */
export type MailPart = {
  mime_type: string
  filename: string
  headers: Header[]
  data: string | null
  attachment_id: string | null
  size: number
  parts: MailPart[]
}
/**
 * What of an email is shown as text, what as HTML, in order, and what is a file. A part without an alternative is in both of the former.
 */
export type MailContent = { text: MailPart[]; html: MailPart[]; files: MailPart[] }

/** The most parts that are shown. */
const MOST_SHOWN = 50

const isText = ({ mime_type }: MailPart) => mime_type === 'text/plain' || mime_type === 'text/html'
const isAttached = ({ headers }: MailPart) => /^\s*attachment/i.test(headerIn(headers, 'content-disposition'))
/** An email within an email is a file as a whole, if it has content of its own. */
const isLeaf = ({ mime_type, parts, data, attachment_id }: MailPart) =>
  parts.length === 0 || (mime_type === 'message/rfc822' && (data ?? attachment_id) !== null)

/**
 * Whether a part is part of what its sender wrote: in a multipart/related the first one is, and a text with a name is a file unless it
 * comes first.
 */
const isShown = (part: MailPart, rank: number, within: string) =>
  isText(part) && !isAttached(part) && (rank === 0 || (within !== 'related' && part.filename === ''))

/** The part that a reader begins with comes first (RFC 2387, 3.2). */
function inOrder(part: MailPart, kind: string): MailPart[] {
  const start = kind === 'related' ? /start="?<?([^">;]+)/i.exec(headerIn(part.headers, 'content-type'))?.[1] : undefined
  const root = start === undefined ? -1 : part.parts.findIndex((one) => contentIdOf(one) === start)
  return root <= 0 ? part.parts : [part.parts[root] as MailPart, ...part.parts.filter((_, n) => n !== root)]
}

/** Sorts the parts of an email as RFC 8621, 4.1.4, does. Every part is in one of the lists. */
export function contentParts(payload: MailPart): MailContent {
  const found: MailContent = { text: [], html: [], files: [] }
  read([payload], 'mixed', ['text', 'html'], found)
  const shown = (parts: MailPart[]) => parts.slice(0, MOST_SHOWN)
  return { text: shown(found.text), html: shown(found.html), files: found.files.slice(0, MAX_ATTACHMENTS) }
}

type Body = 'text' | 'html'

/** `views`: to which of the two ways of showing the email the parts belong; within an alternative, to one. */
function read(parts: MailPart[], within: string, views: Body[], found: MailContent): void {
  const before = { text: found.text.length, html: found.html.length }
  for (const [rank, part] of parts.entries()) {
    const own = within === 'alternative' ? viewsOf(part, views) : views
    if (!isLeaf(part)) {
      const kind = part.mime_type.replace('multipart/', '')
      read(inOrder(part, kind), kind, own.length > 0 ? own : views, found)
    } else if (!isShown(part, within === 'alternative' ? 0 : rank, within) || own.length === 0) found.files.push(part)
    else for (const view of own) found[view].push(part)
  }
  if (within === 'alternative') completeViews(found, before, views)
}

const viewsOf = (part: MailPart, views: Body[]) => {
  const own = viewOf(part)
  return views.filter((view) => own === view || own === 'both')
}

/** The view of a member of an alternative: that of its HTML, or of its text; both of an alternative that has each. */
function viewOf(part: MailPart): Body | 'both' | undefined {
  if (isLeaf(part)) return part.mime_type === 'text/html' ? 'html' : part.mime_type === 'text/plain' ? 'text' : undefined
  const views = new Set(part.parts.map(viewOf))
  if (part.mime_type === 'multipart/alternative' && views.has('html') && views.has('text')) return 'both'
  return (['html', 'both', 'text'] as const).find((view) => views.has(view))
}

/** An alternative of one kind only is shown in both views. */
function completeViews(found: MailContent, before: Record<Body, number>, views: Body[]): void {
  if (views.length < 2) return
  const [texts, htmls] = [found.text.slice(before.text), found.html.slice(before.html)]
  if (texts.length === 0) found.text.push(...htmls)
  if (htmls.length === 0) found.html.push(...texts)
}

const TYPES: Record<string, string> = {
  'text/calendar': 'invitation.ics',
  'application/ics': 'invitation.ics',
  'message/rfc822': 'message.eml',
  'message/delivery-status': 'delivery-status.txt',
  'text/rfc822-headers': 'headers.txt',
  'text/plain': 'text.txt',
  'text/html': 'page.html',
  'text/vcard': 'contact.vcf',
  'application/pgp-signature': 'signature.asc',
  'application/ms-tnef': 'winmail.dat',
  'image/jpeg': 'image.jpg',
}

/** The name of a file, without a path; of one without a name, a name that says what it is. */
export const fileNameOf = ({ filename, mime_type }: MailPart): string => fileNameFor(readHeader(filename, 300), mime_type)

export function fileNameFor(filename: string, mime_type: string): string {
  const name = lastOfPath(filename).slice(0, 150).toWellFormed()
  if (name !== '') return name
  const image = /^(image|audio|video)\/([a-z0-9]{2,5})$/.exec(mime_type)
  return TYPES[mime_type] ?? (image ? `${image[1]}.${image[2]}` : 'file')
}
export const fileTypeOf = ({ mime_type }: MailPart): string => readHeader(mime_type, 120) || 'application/octet-stream'

/** The Content-ID by which the HTML of the same email shows a part (`cid:`, RFC 2392); null for one without. */
export function contentIdOf({ headers }: MailPart): string | null {
  return contentIdIn(headerIn(headers, 'content-id'))
}
export const contentIdIn = (value: unknown): string | null =>
  typeof value === 'string'
    ? value
        .trim()
        .replace(/^(?:cid:|<)|>$/g, '')
        .slice(0, 250)
        .toWellFormed() || null
    : null
