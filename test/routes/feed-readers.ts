import { expect } from 'vitest'
import { settled } from '../database.ts'
import type { Harness } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'

export const contact = async (ws: TestWorkspace, first_name: string) =>
  (await ws.post('/contacts', { first_name })).body.data as { id: string }
/** The cursor at the end of the feed, when all that was written can be read. */
export async function end({ owner }: Harness, ws: TestWorkspace): Promise<string> {
  await settled(owner)
  return (await ws.get('/events?order=asc&after=latest')).body.page.next
}
export const awaiting = (ws: TestWorkspace, seconds: number, query = 'after=latest') => ws.get(`/events?order=asc&wait=${seconds}&${query}`)
export const namesIn = ({ body }: ApiResponse) => body.data.map(({ payload }: { payload: { first_name?: string } }) => payload.first_name)

/** Asks again until it is so, for as long as the test may take. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 20))
}

type Message = { id?: string; event?: string; data?: string }

/** A client of the stream, over a socket of its own. */
export class Stream {
  readonly #reader: ReadableStreamDefaultReader<string>
  readonly #gone: AbortController
  #text = ''
  ended = false

  private constructor(response: Response, gone: AbortController) {
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    this.#gone = gone
  }

  static open(app: Harness, ws: TestWorkspace, query = '', last?: string): Promise<Stream> {
    return Stream.at(app, ws, `/events/stream?${query}`, last)
  }

  static async at(app: Harness, { apiKey }: TestWorkspace, path: string, last?: string): Promise<Stream> {
    const gone = new AbortController()
    const headers = { authorization: `Bearer ${apiKey}`, ...(last !== undefined && { 'last-event-id': last }) }
    const response = await fetch(new URL(`/v1${path}`, await app.url()), { headers, signal: gone.signal })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    return new Stream(response, gone)
  }

  /** The next block with an id or an event; undefined at the end of the stream. */
  async next(): Promise<Message | undefined> {
    for (;;) {
      const at = this.#text.indexOf('\n\n')
      if (at < 0) {
        const { value, done } = await this.#reader.read()
        if (done) this.ended = true
        if (done) return undefined
        this.#text += value
        continue
      }
      const lines = this.#text.slice(0, at).split('\n')
      this.#text = this.#text.slice(at + 2)
      const fields = Object.fromEntries(lines.filter((line) => !line.startsWith(':')).map((line) => line.split(/: (.*)/s).slice(0, 2)))
      if (fields.id || fields.event) return fields as Message
    }
  }

  /** The next event; undefined at the end of the stream. */
  async event(): Promise<Message | undefined> {
    for (;;) {
      const message = await this.next()
      if (!message || message.event) return message
    }
  }

  close(): void {
    this.#gone.abort()
  }
}
