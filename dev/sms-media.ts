import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failures } from './failures.ts'

/** A file of a message: its media type and its bytes. */
export type InboundMedia = { type: string; bytes: Uint8Array }

const FAIL_MODES = ['404', '429', '500', '503', 'timeout', 'drop', 'slow'] as const
type FailMode = (typeof FAIL_MODES)[number]
const SLOW_MS = 500

/**
 * The files of received messages. As at Twilio, the address at the account leads to another host, which serves the file and wants no token.
 */
export class SmsMedia {
  readonly files = new Map<string, InboundMedia>()
  /** How the next requests for files fail. */
  readonly failures = new Failures<FailMode>(FAIL_MODES)

  /** Adds a file of a message. Returns the fields of the webhook about it; `base` is the address of the account. */
  add(sid: string, file: InboundMedia, n: number, base: string): Record<string, string> {
    const path = `/Messages/${sid}/Media/ME${randomBytes(16).toString('hex')}`
    this.files.set(path, file)
    return { [`MediaUrl${n}`]: base + path, [`MediaContentType${n}`]: file.type }
  }

  async serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<unknown> {
    const mode = this.failures.take()?.mode
    const file = this.files.get(path)
    if (mode === 'drop') return request.socket.destroy()
    if (mode === 'timeout') return
    if (mode === 'slow') await sleep(SLOW_MS)
    const status =
      mode !== undefined && mode !== 'slow' ? Number(mode) : file === undefined ? 404 : request.headers.authorization ? 400 : 200
    if (status !== 200 || !file) return response.writeHead(status).end()
    return response.writeHead(200, { 'content-type': file.type }).end(file.bytes)
  }

  clear(): void {
    this.files.clear()
    this.failures.clear()
  }
}
