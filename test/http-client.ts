import { Agent, request } from 'node:http'

export type TextResponse = { status: number; headers: Headers; text: string }

export type Client = (path: string, init: { method: string; headers: Record<string, string>; body?: string }) => Promise<TextResponse>

/**
 * A client that reads each response as a whole. It takes a fifth of the processor time of `fetch`, which was a large part of what the tests
 * cost. Redirects are not followed.
 */
export function httpClient(base: () => Promise<{ href: string }>, host: string): Client {
  const agent = new Agent({ keepAlive: true })
  return async (path, { method, headers, body }) => {
    const { href } = new URL(path, (await base()).href)
    const options = {
      agent,
      method,
      headers: { ...headers, host, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
    }
    return new Promise((resolve, reject) => {
      const sent = request(href, options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode as number,
            headers: headersOf(response.rawHeaders),
            text: new TextDecoder().decode(Buffer.concat(chunks)),
          }),
        )
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

function headersOf(raw: string[]): Headers {
  const headers = new Headers()
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at] as string, raw[at + 1] as string)
  return headers
}
