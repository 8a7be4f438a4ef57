import { expect, test } from 'vitest'
import { campaigning } from './campaigning.ts'
import { failed, useCrm } from './crm.ts'
import { Stream } from './feed-readers.ts'

const crm = useCrm({ ownServer: true, vars: { EVENT_STREAM_SECONDS: '300', EVENT_HEARTBEAT_SECONDS: '1' } })
const { draft, later, path, people, send, show } = campaigning(crm)
const open = (id: string) => Stream.at(crm.app, crm.ws, path(id, '/progress'))
const read = async (stream: Stream) => {
  const { event, data } = (await stream.event()) ?? {}
  return { event, ...JSON.parse(data ?? '{}') }
}

test('the progress of a campaign is streamed while it is sent, and ends with the numbers that the campaign has', async () => {
  await people(3)
  const { id } = await draft()
  const idle = await open(id)
  expect(await read(idle)).toMatchObject({ event: 'end', id, status: 'draft', stats: { recipients: 0 } })
  expect(await idle.next()).toBeUndefined()
  await send(id)
  const stream = await open(id)
  expect(await read(stream)).toMatchObject({ event: 'progress', status: 'sending' })
  await crm.app.drain()
  await later(2)
  let last = await read(stream)
  while (last.event === 'progress') last = await read(stream)
  const { stats, ended_at } = await show(id)
  expect(last).toMatchObject({ event: 'end', status: 'sent', stats, ended_at })
  expect(stats).toMatchObject({ audience: 3, recipients: 3, sent: 3, queued: 0 })
  expect(await stream.next()).toBeUndefined()
})

test('a client that leaves, a revoked key and another workspace get nothing more', async () => {
  await people(1)
  const { id } = await draft()
  await send(id)
  const reader = await crm.ws.key({ scopes: ['email-campaigns:read'] })
  const stream = await Stream.at(crm.app, reader, path(id, '/progress'))
  expect(await read(stream)).toMatchObject({ event: 'progress' })
  await crm.app.owner.query('update api_keys set revoked_at = now() where id = $1', [reader.keyId])
  expect(await stream.next()).toBeUndefined()
  const other = await crm.app.workspace()
  expect(await other.get(path(id, '/progress'))).toMatchObject(failed(404, 'NOT_FOUND'))
  const left = await open(id)
  await left.event()
  left.close()
})
