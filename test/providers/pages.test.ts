import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { microsoftCalendar } from '../../src/features/calendars/provider/microsoft.ts'
import { gmail } from '../../src/features/mailboxes/provider/gmail.ts'

/** A provider that answers page by page. */
type Page = (number: number, path: string) => object
let page: Page
let count = 0
let server: Server
let url: string
beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(page(count++, request.url as string)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((done) => server.close(done)))

function serve(next: Page): void {
  page = next
  count = 0
}

test('empty pages of Gmail before a change are passed over, at most twenty', async () => {
  const changes = (empty: number) => {
    serve((n) =>
      n < empty
        ? { history: [], historyId: '9', nextPageToken: `${n}` }
        : { history: [{ id: '7', messagesAdded: [{ message: { id: 'm1', threadId: 't1' } }] }], historyId: '9' },
    )
    return gmail({ url, accountUrl: url, topic: undefined }).changes('token', '5')
  }
  expect(await changes(20)).toEqual({ ids: ['m1'], cursor: '9', has_more: false })
  await expect(changes(21)).rejects.toMatchObject({ reason: 'unavailable', message: 'Google answers with empty pages only' })
})

test('the live question to Microsoft reads at most four pages', async () => {
  const time = (hour: number) => ({ dateTime: `2026-12-01T0${hour}:00:00.0000000`, timeZone: 'UTC' })
  const busy = async (pages: number) => {
    serve((n, path) => ({
      value: [{ id: `e${n}`, showAs: 'busy', start: time(n), end: time(n + 1) }],
      ...(n + 1 < pages && { '@odata.nextLink': `${url}${path}` }),
    }))
    const found = await microsoftCalendar({ url }).busy('token', ['c1'], '2026-12-01T00:00:00Z', '2026-12-02T00:00:00Z', 5_000)
    return found.get('c1')
  }
  expect(await busy(4)).toHaveLength(4)
  expect(await busy(5)).toBe('unknown')
})
