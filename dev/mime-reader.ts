import type { Header } from '../src/domain/mailbox-email.ts'

/** A part of an email: the headers as they were written, unfolded, and the content without its transfer encoding. */
export type MimePart = { headers: Header[]; type: string; filename: string; content: Buffer; parts: MimePart[] }

/** Reads an email in the form of RFC 5322 and MIME. */
export function readMime(text: string): MimePart {
  const end = text.indexOf('\r\n\r\n')
  const lines = text
    .slice(0, end < 0 ? undefined : end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line) => ({ name: line.slice(0, line.indexOf(':')), value: line.slice(line.indexOf(':') + 1).trim() }))
  const body = end < 0 ? '' : text.slice(end + 4)
  const header = (name: string) => headers.find((one) => one.name.toLowerCase() === name)?.value ?? ''
  const type = header('content-type').split(';')[0]?.trim().toLowerCase() || 'text/plain'
  const boundary = /boundary="?([^";]+)"?/.exec(header('content-type'))?.[1]
  const filename = filenameIn(header('content-disposition'))
  if (boundary === undefined) {
    const isBase64 = header('content-transfer-encoding').toLowerCase() === 'base64'
    return { headers, type, filename, content: Buffer.from(body, isBase64 ? 'base64' : 'utf8'), parts: [] }
  }
  const [inside = ''] = body.split(`--${boundary}--`)
  const parts = inside.split(`--${boundary}\r\n`).slice(1)
  return { headers, type, filename, content: Buffer.alloc(0), parts: parts.map(readMime) }
}

/** The full name of a file (RFC 2231), or that for programs that do not read it. */
function filenameIn(disposition: string): string {
  const full = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition)?.[1]
  return full === undefined ? (/filename="([^"]*)"/.exec(disposition)?.[1] ?? '') : decodeURIComponent(full)
}

/** A header with its encoded words read (RFC 2047), of which each is whole. */
export const decodedHeader = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/gi, (_, base64: string) => Buffer.from(base64, 'base64').toString('utf8'))
