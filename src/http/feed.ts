import { MOST_READERS } from '../domain/events.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import type { Feed, Place } from '../providers/feed/port.ts'

/** Authority is checked again at least so often, whatever the configuration says. */
const MOST_HEARTBEAT_SECONDS = 60
const RETRY_SECONDS = 5
const MOST_CLOSING_MS = 1000

/** The feeds of this environment. A reader is connected to its workspace's object (objects/event-feed.ts) for as long as it waits. */
export function feedOf({ EVENT_FEED, EVENT_STREAM_SECONDS, EVENT_HEARTBEAT_SECONDS }: Env): Feed {
  return {
    streamSeconds: Number(EVENT_STREAM_SECONDS),
    heartbeatSeconds: Math.min(Number(EVENT_HEARTBEAT_SECONDS), MOST_HEARTBEAT_SECONDS),
    async join(workspaceId) {
      const object = EVENT_FEED.get(EVENT_FEED.idFromName(workspaceId))
      const { status, webSocket } = await object
        .fetch(`https://event-feed/${workspaceId}`, { headers: { Upgrade: 'websocket' } })
        .catch((error: unknown) => unreachable(error))
      if (status === 429)
        throw new AppError(
          'RATE_LIMITED',
          `${MOST_READERS} readers of this workspace wait for events already: end one of them, or ask without waiting`,
          { limit: 'readers' },
          RETRY_SECONDS,
        )
      return webSocket ? joined(webSocket) : unreachable(`status ${status}`)
    },
  }
}

function unreachable(error: unknown): never {
  console.error(JSON.stringify({ level: 'warn', message: 'the feed of events cannot be reached', error: String(error) }))
  throw new AppError('UNAVAILABLE', 'Waiting for events is not possible at the moment: try again', undefined, RETRY_SECONDS)
}

/** The connection says at which position its reader is, and receives one message when events are behind it. */
function joined(socket: WebSocket): Place {
  let ended = false
  let settle: ((found: 'moved' | 'quiet' | 'ended') => void) | undefined
  let left: Promise<void> | undefined
  const end = () => {
    ended = true
    settle?.('ended')
  }
  socket.accept()
  socket.addEventListener('message', () => settle?.('moved'))
  socket.addEventListener('close', end)
  socket.addEventListener('error', end)
  return {
    moved(position, milliseconds) {
      if (ended) return Promise.resolve('ended')
      return new Promise((resolve) => {
        const timer = setTimeout(() => settle?.('quiet'), milliseconds)
        settle = (found) => {
          clearTimeout(timer)
          settle = undefined
          resolve(found)
        }
        try {
          socket.send(position)
        } catch {
          end()
        }
      })
    },
    leave() {
      left ??= ended ? Promise.resolve() : closed(socket)
      settle?.('ended')
      return left
    },
  }
}

/** Closes a connection, and resolves when the other side has noticed, so that the place is free for the same client's next request. */
function closed(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MOST_CLOSING_MS)
    socket.addEventListener('close', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.close(1000)
  })
}
