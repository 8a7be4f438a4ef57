import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server of HTTP that only this machine reaches. */
export interface LocalServer {
  port: number
  /** The address and the port, such as `127.0.0.1:8790`. */
  host: string
  /** The origin, such as `http://127.0.0.1:8790`. */
  url: string
  /** Ends all connections, also of requests that have no response. */
  close(): Promise<void>
}

/** The status and the body of a response in JSON. */
export type Reply = [status: number, body: unknown]

/**
 * Starts a server. An error of `answer` goes to `onError`; without it, it ends the process, as any error that nobody handles.
 * @throws the error of the system if the port, a free one by default, is in use
 */
export function startLocalServer(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  { port, onError }: { port?: number | undefined; onError?: (response: ServerResponse, error: unknown) => unknown } = {},
): Promise<LocalServer> {
  const server = createServer(async (request, response) => {
    try {
      await answer(request, response)
    } catch (error) {
      if (!onError) throw error
      onError(response, error)
    }
  })
  return listen(server, port)
}

/** Lets a server listen at a port of this machine: see `startLocalServer`. */
export async function listen(server: Server, wished = 0): Promise<LocalServer> {
  await new Promise<void>((ready, fail) => server.once('error', fail).listen(wished, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  return {
    port,
    host,
    url: `http://${host}`,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

export async function readBytes(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export const readText = async (request: IncomingMessage): Promise<string> => (await readBytes(request)).toString('utf8')

/** Sends a body as JSON; undefined is none. */
export function reply(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body === undefined ? undefined : JSON.stringify(body))
}
