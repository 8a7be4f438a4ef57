import type { Ctx } from '../../../context.ts'
import type { Page } from '../../../data/paged.ts'
import { afterRead, type Plan } from '../../../data/plan.ts'
import { Streamed } from '../../../data/streamed.ts'
import { AppError, invalid } from '../../../errors.ts'
import type { Place } from '../../../providers/feed/port.ts'
import { withMoney } from '../../../schemas/money.ts'
import { Event, type EventQuery, type EventStreamQuery } from '../schemas/events.ts'
import { type FeedPage, listEvents } from './feed.ts'

/** The most pages that a request reads while it waits. Each is a subrequest of the Worker, which may make a thousand. */
const MOST_PAGES = 500
const STREAM_PAGE = 100
/** How soon a client connects again when its stream has ended, in milliseconds. */
const RETRY_MS = 1000

/** `until`: when the reader stops, in milliseconds since 1970. `patience`: the most milliseconds between two pages. */
type Manner = { until: number; patience: number }

/**
 * The pages of the feed from a first one, as they come, and an empty one when nothing came for a while. Each is read with the authority of
 * that moment.
 */
async function* follow(ctx: Ctx, query: EventQuery, first: FeedPage, place: Place, { until, patience }: Manner): AsyncGenerator<FeedPage> {
  let page = first
  for (let count = 1; ; count++) {
    yield page
    const left = until - Date.now()
    if (left <= 0 || count === MOST_PAGES) return
    if (page.about.has_more !== true) {
      const found = await place.moved(page.end.xid, Math.min(left, patience))
      if (found === 'ended' || (found === 'quiet' && left <= patience)) return
    }
    page = await ctx.read(listEvents(ctx, { ...query, after: page.next ?? undefined }).result)
  }
}

/** A page of events. With `wait`, an empty page of the feed is returned only after so many seconds without an event. */
export function awaitEvents(ctx: Ctx, query: EventQuery): Plan<Page<Event>> {
  const { wait = 0, order } = query
  if (wait > 0 && order !== 'asc') throw invalid([{ path: 'wait', message: 'Only the feed can be waited for: add order=asc' }])
  const first = listEvents(ctx, query)
  return wait === 0 ? first : afterRead(first, (page) => next(ctx, query, page, wait))
}

async function next(ctx: Ctx, query: EventQuery, first: FeedPage, seconds: number): Promise<Page<Event>> {
  if (first.isAnswer) return first
  const until = Date.now() + seconds * 1000
  const place = await ctx.feed.join(first.end.workspace_id)
  try {
    let last = first
    for await (const page of follow(ctx, query, first, place, { until, patience: Number.POSITIVE_INFINITY })) {
      last = page
      if (page.isAnswer) break
    }
    return last
  } finally {
    await place.leave()
  }
}

/** The events behind a cursor, or from now on, as server-sent events. */
export function streamEvents(ctx: Ctx, { after = 'latest', ...filters }: EventStreamQuery): Plan<Streamed> {
  const query: EventQuery = { ...filters, after, order: 'asc', limit: STREAM_PAGE }
  return afterRead(listEvents(ctx, query), async (first) => {
    const { streamSeconds, heartbeatSeconds } = ctx.feed
    const place = await ctx.feed.join(first.end.workspace_id)
    const manner = { until: Date.now() + streamSeconds * 1000, patience: heartbeatSeconds * 1000 }
    return new Streamed('text/event-stream', (gone) => {
      gone.addEventListener('abort', () => place.leave())
      return messages(follow(ctx, query, first, place, manner), place)
    })
  })
}

/**
 * The messages of each page. A reader who is refused, or a database that fails, ends the stream: the client learns why when it connects
 * again.
 */
async function* messages(pages: AsyncIterable<FeedPage>, place: Place): AsyncGenerator<string> {
  try {
    yield `retry: ${RETRY_MS}\n\n`
    for await (const page of pages) yield messagesOf(page)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  } finally {
    await place.leave()
  }
}

/** A message for each event, and a comment with the cursor of the page, which may be behind events that the filter left out. */
function messagesOf(page: FeedPage): string {
  const written = page.items.map(
    (event, index) => `id: ${page.cursorBehind(index)}\nevent: ${event.type}\ndata: ${JSON.stringify(withMoney(Event, event))}\n\n`,
  )
  return `${written.join('')}: heartbeat\nid: ${page.next}\n\n`
}
