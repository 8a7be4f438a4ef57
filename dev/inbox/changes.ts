import type { ServerResponse } from 'node:http'

const LOOK_MS = 250
const BEAT_MS = 15_000

/** Sends a server-sent event to everybody who follows, as soon as what `read` returns has changed. Nobody follows: nothing is read. */
export function changesOf(read: () => unknown) {
  const followers = new Set<ServerResponse>()
  let timer: NodeJS.Timeout | undefined
  let shown = ''
  let version = 0
  let beat = Date.now()

  const look = () => {
    const now = JSON.stringify(read())
    if (now !== shown) {
      shown = now
      version++
      beat = Date.now()
      for (const follower of followers) follower.write(`data: ${version}\n\n`)
    } else if (Date.now() - beat > BEAT_MS) {
      beat = Date.now()
      for (const follower of followers) follower.write(': still here\n\n')
    }
  }
  const leave = (follower: ServerResponse) => {
    followers.delete(follower)
    if (followers.size === 0) clearInterval(timer)
  }

  return {
    follow(response: ServerResponse): void {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.write(`retry: 1000\ndata: ${version}\n\n`)
      if (followers.size === 0) {
        beat = Date.now()
        timer = setInterval(look, LOOK_MS)
      }
      followers.add(response)
      response.on('close', () => leave(response))
    },
    close: () => clearInterval(timer),
  }
}
