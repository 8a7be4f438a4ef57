import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { addressOf, emptyPage, lenientText, type Missing, type Open, statusOf } from './lenient-forms.ts'
import { readBytes, startLocalServer } from './local-server.ts'

/** A response that the proxy gives to every request, in the place of the emulator. */
export type Fixed = { status: number; body: string; headers?: Record<string, string> }

export type LenientProxy = {
  /** An address of the emulator, at the proxy. */
  at(address: string): string
  close(): Promise<void>
}

/** Headers of one connection, which the proxy sets itself. */
const OWN_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']

/**
 * Stands in front of an emulator and answers as its provider may answer, too: with fields that nobody knows, in another order, with names
 * of headers in capitals, in pieces that end within a character, and with a status that means the same. `answer` takes the place of all
 * that. `note` gets each request: the method, the address and the body.
 */
export async function startLenientProxy(
  target: string,
  open: Open,
  missing: Missing,
  { answer, note }: { answer?: Fixed; note?: (request: string) => void } = {},
): Promise<LenientProxy> {
  const { origin } = new URL(target)

  async function pass(request: IncomingMessage, response: ServerResponse) {
    if (answer) return void response.writeHead(answer.status, answer.headers).end(answer.body)
    const body = await readBytes(request)
    note?.(`${request.method} ${request.url} ${body.toString()}`)
    const headers = Object.entries(request.headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name))
    const sent = { method: request.method as string, headers: headers as [string, string][], redirect: 'manual' as const }
    const url = new URL(request.url as string, origin)
    const reply = await fetch(addressOf(new URL(url), open), { ...sent, ...(body.length > 0 && { body }) })
    const type = reply.headers.get('content-type') ?? ''
    const isText = /json|event-stream|text/.test(type)
    const content = isText
      ? Buffer.from(lenientText(await textOf(reply, url, type), type, open, missing).replaceAll(origin, server.url))
      : await reply.arrayBuffer()
    const given = [...reply.headers].filter(([name]) => !OWN_HEADERS.includes(name))
    const shown = given.map(([name, value]): [string, string] => [name.toUpperCase(), value.replaceAll(origin, server.url)])
    response.writeHead(statusOf(reply.status, isText ? content.toString() : '', open), shown.flatMap(withCharset))
    for (const piece of piecesOf(Buffer.from(content as Buffer))) {
      response.write(piece)
      await nextTurn()
    }
    response.end()
  }

  /** What the emulator has answered, or before that a page without records. */
  async function textOf(reply: Response, url: URL, type: string): Promise<string> {
    const text = await reply.text()
    return (missing === 'given' && reply.ok && type.includes('json') ? emptyPage(url, text, open) : undefined) ?? text
  }

  const server = await startLocalServer(pass, { onError: (response) => response.destroy() })
  return { at: (address) => address.replace(origin, server.url), close: server.close }
}

/** The type of JSON may have a parameter, and is written in any case. */
const withCharset = ([name, value]: [string, string]) => [
  name,
  name === 'CONTENT-TYPE' && value.startsWith('application/json') ? 'Application/JSON; Charset=UTF-8' : value,
]

/** Pieces of which one ends within a character, if there is one of several bytes. */
function piecesOf(content: Buffer): Buffer[] {
  const within = content.findIndex((byte) => byte > 127) + 1
  const cuts = [1, within, content.length >> 1].filter((cut) => cut > 0 && cut < content.length).toSorted((a, b) => a - b)
  return [0, ...cuts].map((cut, n) => content.subarray(cut, cuts[n])).filter((piece) => piece.length > 0)
}
