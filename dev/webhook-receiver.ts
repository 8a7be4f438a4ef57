import type { IncomingMessage, ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { type LocalServer, readText, startLocalServer } from './local-server.ts'
import { program } from './program.ts'
import { findRun } from './runs.ts'
import { busyPort } from './settings.ts'

export interface ReceivedWebhook {
  path: string
  id: string
  headers: Record<string, string>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  body: any
  /** Whether a known secret has signed it; by how many of them. */
  verified: number
}

/**
 * How the next requests are answered: with a status, with a body, not at all (`hang`), or by closing the connection, with or without having
 * received it.
 */
export type Behaviour = number | 'hang' | 'drop' | { body: string }

export interface WebhookReceiver extends LocalServer {
  /** The secrets that it verifies with. */
  secrets: string[]
  /** What it has accepted or refused, the oldest first. */
  received: ReceivedWebhook[]
  /** The behaviour of each path; 204 by default. */
  behaviours: Map<string, Behaviour>
  /** Ends the requests that hang. */
  release(): void
}

/** A receiver of webhooks that verifies signatures with the reference library of Standard Webhooks. */
export async function startWebhookReceiver({ port = 0 } = {}): Promise<WebhookReceiver> {
  const hanging = new Set<ServerResponse>()

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const text = await readText(request)
    const headers = request.headers as Record<string, string>
    const path = request.url ?? '/'
    const verified = receiver.secrets.filter((secret) => isVerified(secret, text, headers)).length
    receiver.received.push({ path, id: headers['webhook-id'] ?? '', headers, text, body: parsed(text), verified })
    const behaviour = receiver.behaviours.get(path) ?? 204
    if (behaviour === 'hang') hanging.add(response)
    else if (behaviour === 'drop') request.socket.destroy()
    else if (typeof behaviour === 'object') response.writeHead(200, { 'content-type': 'application/json' }).end(behaviour.body)
    else
      response
        .writeHead(behaviour, { 'content-type': 'text/plain', 'set-cookie': 'session=secret' })
        .end(behaviour === 204 ? '' : `status ${behaviour}`)
  }

  const server = await startLocalServer(answer, { port }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? busyPort('receiver-port', port) : error
  })
  const receiver: WebhookReceiver = {
    ...server,
    secrets: [],
    received: [],
    behaviours: new Map(),
    release() {
      for (const response of hanging) response.writeHead(204).end()
      hanging.clear()
    },
  }
  return receiver
}

function isVerified(secret: string, text: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(text, headers)
    return true
  } catch {
    return false
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The port at which the Worker of `npm run dev` may call a webhook on this machine. */
export const receiverPort = (run = findRun()): number =>
  Number(process.env.RECEIVER_PORT ?? new URL(`http://${run?.addresses.receiver ?? '127.0.0.1:8790'}`).port)

const usage = `Usage: node dev/webhook-receiver.ts <secret> …

Prints the webhooks that arrive at the address which "npm run dev" lets the Worker call on this machine, \
and whether one of the secrets has signed them.`

await program(import.meta, { usage, words: true }, async (_, secrets) => {
  const receiver = await startWebhookReceiver({ port: receiverPort() })
  receiver.secrets = secrets
  console.log(`Receiving at ${receiver.url}/`)
  const show = receiver.received.push.bind(receiver.received)
  receiver.received.push = (...received) => {
    for (const { body, verified, id } of received)
      console.log(verified > 0 ? 'verified' : 'NOT VERIFIED', id, body?.type, JSON.stringify(body?.data))
    return show(...received)
  }
})
