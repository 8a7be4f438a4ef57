import type { Header } from '../src/features/email/rules/mail-headers.ts'

/** A part of an email: the headers unfolded, and the content without its transfer encoding. `charset`: that of its text. */
export type MimePart = { headers: Header[]; type: string; filename: string; charset: string; content: Buffer; parts: MimePart[] }

/** Reads an email in the form of RFC 5322 and MIME. Its bytes are read as Latin-1, so that none of them changes. */
export const readMime = (email: string | Buffer): MimePart => readPart(Buffer.from(email as string).toString('latin1'))

function readPart(text: string): MimePart {
  const end = /\r?\n\r?\n/.exec(text)
  const headers = headersIn(text.slice(0, end?.index))
  const body = end ? text.slice(end.index + end[0].length) : ''
  const header = (name: string) => headers.find((one) => one.name.toLowerCase() === name)?.value ?? ''
  const type = header('content-type').split(';')[0]?.trim().toLowerCase() || 'text/plain'
  const filename = parameterIn(header('content-disposition'), 'filename') || parameterIn(header('content-type'), 'name')
  const read = { headers, type, filename: decodedHeader(filename), charset: parameterIn(header('content-type'), 'charset') || 'us-ascii' }
  const boundary = type.startsWith('multipart/') ? parameterIn(header('content-type'), 'boundary') : ''
  if (boundary !== '') return { ...read, content: Buffer.alloc(0), parts: partsIn(body, boundary).map(readPart) }
  const content = decoded(body, header('content-transfer-encoding').trim().toLowerCase())
  const parts = type === 'message/rfc822' ? [readPart(content.toString('latin1'))] : []
  return { ...read, filename: read.filename || (parts.length > 0 ? 'noname.eml' : ''), content, parts }
}

const headersIn = (text: string): Header[] =>
  text
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .map((line) => {
      const value = line.slice(line.indexOf(':') + 1).trim()
      return { name: line.slice(0, line.indexOf(':')), value: Buffer.from(value, 'latin1').toString('utf8') }
    })

/** The line break before a boundary belongs to it (RFC 2046, 5.1.1). */
function partsIn(body: string, boundary: string): string[] {
  const line = new RegExp(`(?:^|\\r?\\n)--${boundary.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(--)?[ \\t]*(?:\\r?\\n|$)`)
  const parts: string[] = []
  let rest = body
  for (let found = line.exec(rest); found; found = line.exec(rest)) {
    parts.push(rest.slice(0, found.index))
    if (found[1]) break
    // A boundary may follow at once, so the line break of this one is kept.
    rest = rest.slice(found.index + found[0].length)
  }
  return parts.slice(1)
}

function decoded(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1')
  const text = body.replace(/[ \t]+(?=\r?\n)/g, '').replace(/=\r?\n/g, '')
  return Buffer.from(
    text.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}

/** A parameter of a header: in full, also if it is divided (RFC 2231), or that for programs that do not read this form. */
function parameterIn(header: string, name: string): string {
  const pieces = [...header.matchAll(new RegExp(`;\\s*${name}\\*(?:(\\d+)\\*?)?=(?:"([^"]*)"|([^;\\s]*))`, 'gi'))]
    .toSorted(([, a], [, b]) => Number(a ?? 0) - Number(b ?? 0))
    .map(([, , quoted, plain]) => quoted ?? plain ?? '')
  const [, charset, encoded] = /^([\w-]+)'[\w-]*'(.*)$/s.exec(pieces.join('')) ?? []
  if (charset !== undefined && encoded !== undefined) return new TextDecoder(charset).decode(percentBytes(encoded))
  if (pieces.length > 0) return pieces.join('')
  const [, quoted, plain] = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(header) ?? []
  return (quoted ?? plain ?? '').replace(/\\(.)/g, '$1')
}

const percentBytes = (text: string) =>
  Buffer.from(
    text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

/** A header with its encoded words read (RFC 2047). */
export const decodedHeader = (value: string): string =>
  value.replace(/\?=\s+=\?/g, '?==?').replace(/=\?([\w.-]+)\?([BQ])\?([^?]*)\?=/gi, (_, charset: string, kind: string, text: string) => {
    const bytes = kind.toUpperCase() === 'B' ? Buffer.from(text, 'base64') : decoded(text.replaceAll('_', ' '), 'quoted-printable')
    return new TextDecoder(charset).decode(bytes)
  })

/** The text of a part in UTF-8. */
export const textOfMime = ({ charset, content }: MimePart): string => new TextDecoder(charset).decode(content)
