import { expect, test } from 'vitest'
import { found, type Row, useCrm } from '../crm.ts'
import { notetaking } from './notetaking.ts'

const crm = useCrm()
const { bot, booking, meet, prepare, read, request } = notetaking(crm)

const recorded = async (): Promise<Row> => {
  await prepare()
  const meeting = await booking()
  await request(meeting)
  await meet(bot())
  return meeting
}
const mentions = async (text: string) => {
  const tables = ['booking_transcripts', 'activities', 'changes', 'outbox', 'deleted_rows', 'notetakers']
  const counts = await Promise.all(
    tables.map((table) =>
      crm.app.owner.query(`select from ${table} t where workspace_id = $1 and t::text like '%' || $2 || '%'`, [crm.ws.id, text]),
    ),
  )
  return Object.fromEntries(tables.map((table, at) => [table, counts[at]!.rowCount]))
}

test('a purge of the contact erases the transcript, also from the timeline of the opportunity', async () => {
  const meeting = await recorded()
  expect((await mentions('begin with the offer')).activities).toBe(1)
  found(await crm.ws.delete(`/contacts/${meeting.contact_id}?purge=true`))
  expect(await read(meeting).catch(() => ({ transcript: null }))).toMatchObject({ transcript: null })
  expect(await mentions('begin with the offer')).toEqual({
    booking_transcripts: 0,
    activities: 0,
    changes: 0,
    outbox: 0,
    deleted_rows: 0,
    notetakers: 0,
  })
})

test('the export of a person has the transcripts of their meetings', async () => {
  const meeting = await recorded()
  const exported = found(await crm.ws.get(`/contacts/${meeting.contact_id}/data`))
  expect(JSON.stringify(exported.booking_transcripts ?? exported.records?.booking_transcripts)).toContain('begin')
})

test('a merge of the contact moves the transcript, and its undo moves it back', async () => {
  const meeting = await recorded()
  const winner = await crm.contact({ first_name: 'Winner' })
  const { merge_id } = found(await crm.ws.post('/contacts/merge', { winner_id: winner.id, loser_ids: [meeting.contact_id] }))
  const owner = async () =>
    (await crm.app.owner.query('select contact_id from booking_transcripts where workspace_id = $1', [crm.ws.id])).rows[0].contact_id
  expect(await owner()).toBe(winner.id)
  const moved = found(await crm.ws.get(`/activities?contact_id=${winner.id}`)) as Row[]
  expect(moved.filter(({ activity_type }) => activity_type === 'meeting')).toHaveLength(1)
  found(await crm.ws.post(`/contacts/merges/${merge_id}/undo`, {}))
  expect(await owner()).toBe(meeting.contact_id)
})

test('a transcript goes with its activity, and comes back when that is restored', async () => {
  const meeting = await recorded()
  const { activity_id } = await read(meeting)
  found(await crm.ws.delete(`/activities/${activity_id}`))
  expect(await read(meeting)).toMatchObject({ state: 'done', transcript: null, activity_id: null })
  found(await crm.ws.post(`/activities/${activity_id}/restore`, {}))
  const restored = await read(meeting)
  expect(restored).toMatchObject({ activity_id })
  expect(restored.transcript).toHaveLength(3)
})
