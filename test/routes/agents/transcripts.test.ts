import { beforeEach, expect, test } from 'vitest'
import type { SpeechFailMode } from '../../../dev/speech-emulator.ts'
import { created, failed, found, type Row, useCrm } from '../crm.ts'

const crm = useCrm()
beforeEach(async () => {
  crm.app.speech.clear()
  await credit(1_000)
})

/** Gives the workspace exactly this balance. */
const credit = (balance: number) =>
  crm.app.owner.query(
    `insert into credit_accounts (workspace_id, balance) values ($1, $2) on conflict (workspace_id)
      do update set balance = excluded.balance`,
    [crm.ws.id, balance],
  )
const balance = async () => (found(await crm.ws.get('/billing/credits')) as Row).balance
const request = async (fields: Row = {}): Promise<Row> => {
  const requested = created(await crm.ws.post('/transcripts/transcribe', { audio_url: crm.app.speech.audio(), ...fields }))
  await crm.app.drain()
  return requested
}
const transcriptOf = async (id: string): Promise<Row> => found(await crm.ws.get(`/transcripts/${id}`))
const report = async (at = 0, of = {}) => {
  const { url, init } = crm.app.speech.callback(at, of)
  return (await crm.app.fetch(url.slice('http://api.test'.length), init)).status
}
/** Lets what waits be due, and the queue do it. */
async function later() {
  await crm.app.owner.query("update transcripts set due_at = now() - interval '1 second' where workspace_id = $1 and due_at is not null", [
    crm.ws.id,
  ])
  await crm.app.deliver('webhooks', [{ type: 'work.run', kind: 'transcripts.send', workspace_id: crm.ws.id }])
}

test('a recording is queued, handed over with a callback, and its transcript is on the timeline of the contact and the deal', async () => {
  const contact = await crm.contact()
  const deal = await crm.opportunity()
  const requested = await request({ contact_id: contact.id, opportunity_id: deal.id })
  expect(requested).toMatchObject({ status: 'queued', entries: null, credits: 0 })
  expect(await transcriptOf(requested.id)).toMatchObject({ status: 'transcribing', error: null })
  expect(crm.app.speech.accepted).toMatchObject([{ audio_url: crm.app.speech.audio(), query: { diarize: 'true', utterances: 'true' } }])
  expect(await report()).toBe(200)
  const done = await transcriptOf(requested.id)
  expect(done).toMatchObject({ status: 'done', duration_seconds: 20.4, language: 'en', credits: 23, credits_charged: 23 })
  expect(done.entries).toHaveLength(5)
  expect(done.entries[1]).toMatchObject({ speaker: 'Speaker 2', started_seconds: 4.6, ended_seconds: 12.3 })
  expect(await balance()).toBe(977)
  const timeline = found(await crm.ws.get(`/contacts/${contact.id}/timeline`)) as Row[]
  expect(JSON.stringify(timeline)).toContain('Transcript of a recording')
  expect(found(await crm.ws.get(`/activities/${done.activity_id}`))).toMatchObject({
    contact_id: contact.id,
    activity_type: 'call',
    body: expect.stringContaining('Speaker 1 (0:00): Harbour Renovations'),
  })
  expect((found(await crm.ws.get(`/transcripts?contact_id=${contact.id}`)) as Row[]).map(({ id }) => id)).toEqual([requested.id])
  expect(found(await crm.ws.get(`/transcripts?opportunity_id=${deal.id}&status=failed`))).toEqual([])
})

test('repeated, late and reordered reports change nothing twice, also many at once', async () => {
  const { id } = await request({ contact_id: (await crm.contact()).id })
  const statuses = await Promise.all(Array.from({ length: 10 }, () => report()))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await report(0, { error: 'The file is gone' })).toBe(200)
  expect(await report(0, { duration: 600, utterances: [] })).toBe(200)
  expect(await transcriptOf(id)).toMatchObject({ status: 'done', credits: 23, duration_seconds: 20.4 })
  expect(await balance()).toBe(977)
  const { rows } = await crm.app.owner.query('select id from activities where workspace_id = $1', [crm.ws.id])
  expect(rows).toHaveLength(1)
  found(await crm.ws.delete(`/transcripts/${id}`))
  expect(await report()).toBe(200)
  expect(await crm.ws.get(`/transcripts/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('only the address with the token takes a report, and only for its own transcript', async () => {
  const [first, second] = [await request(), await request()]
  const [one, other] = [crm.app.speech.callback(0), crm.app.speech.callback(1)]
  const path = (url: string) => url.slice('http://api.test'.length)
  const swapped = path(one.url).replace(first.id, second.id)
  const own = path(one.url)
  for (const wrong of [
    swapped,
    `${own.slice(0, -3)}abc`,
    own.slice(0, -1),
    `${own}a`,
    own.replace(first.id, 'y'),
    '/transcript-events/x/y/z',
  ])
    expect((await crm.app.fetch(wrong, other.init)).status, wrong).toBe(404)
  expect((await crm.app.fetch(path(one.url), { ...one.init, body: '{"no": "result"}' })).status).toBe(400)
  expect((await crm.app.fetch(path(one.url), { ...one.init, body: '{' })).status).toBe(400)
  expect(await transcriptOf(first.id)).toMatchObject({ status: 'transcribing' })
})

test.each(['429', '401', '500', 'drop'] as SpeechFailMode[])(
  'after %s the recording is handed over again, and the report counts once',
  async (mode) => {
    for (const accept of [false, true]) {
      crm.app.speech.clear()
      crm.app.speech.fail(mode, 1, accept)
      const { id } = await request()
      expect((await transcriptOf(id)).error).toMatch(/./)
      await later()
      expect(await transcriptOf(id)).toMatchObject({ status: 'transcribing', error: null })
      expect(crm.app.speech.accepted).toHaveLength(accept ? 2 : 1)
      for (const at of crm.app.speech.accepted.keys()) expect(await report(at)).toBe(200)
      expect(await transcriptOf(id)).toMatchObject({ status: 'done', credits_charged: 23 })
    }
    expect(await balance()).toBe(1_000 - 2 * 23)
  },
)

test('a recording that the provider refuses has failed, with the reason, and is not handed over again', async () => {
  crm.app.speech.fail('400')
  const { id } = await request()
  expect(await transcriptOf(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('400: The request fails') })
  await later()
  expect(crm.app.speech.accepted).toEqual([])
  expect(await transcriptOf(id)).toMatchObject({ status: 'failed', credits_charged: 0 })
  expect(await balance()).toBe(1_000)
})

test('a recording that the provider never reports about fails after three attempts, and a late report still counts', async () => {
  const { id } = await request()
  for (let i = 0; i < 3; i++) await later()
  expect(await transcriptOf(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('not reported') })
  expect(crm.app.speech.accepted).toHaveLength(3)
  expect(await balance()).toBe(1_000)
  expect(await report(0)).toBe(200)
  expect(await transcriptOf(id)).toMatchObject({ status: 'done', error: null })
})

test('what is no recording is refused, with the reason, and costs nothing', async () => {
  for (const [name, reason] of [
    ['page.html', 'neither audio nor video'],
    ['moved.mp3', 'redirects (302)'],
    ['gone.mp3', '404'],
  ] as const) {
    const { id } = await request({ audio_url: crm.app.speech.audio(name) })
    expect(await transcriptOf(id)).toMatchObject({ status: 'failed', error: expect.stringContaining(reason) })
  }
  const down = await request({ audio_url: crm.app.speech.audio('down.mp3') })
  expect(await transcriptOf(down.id)).toMatchObject({ status: 'queued', error: expect.stringContaining('503') })
  expect(crm.app.speech.accepted).toEqual([])
  for (const audio_url of ['http://169.254.169.254/a.mp3', 'https://localhost/a.mp3', 'http://10.0.0.8/a.mp3', 'file:///etc/passwd', 'x']) {
    const response = await crm.ws.post('/transcripts/transcribe', { audio_url })
    expect(response).toMatchObject({
      ...failed(400, 'VALIDATION_ERROR'),
      body: { error: { details: { issues: [{ path: 'audio_url' }] } } },
    })
  }
  const { id } = await request()
  expect(await report(0, { error: 'The file is empty' })).toBe(200)
  expect(await transcriptOf(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('The file is empty') })
  expect(await balance()).toBe(1_000)
})

test('a minute that has begun costs 23 credits; what the balance lacks is charged later; without credits nothing begins', async () => {
  await credit(30)
  const { id } = await request()
  expect(await report(0, { duration: 61 })).toBe(200)
  expect(await transcriptOf(id)).toMatchObject({ credits: 46, credits_charged: 30 })
  expect(await balance()).toBe(0)
  const refused = await crm.ws.post('/transcripts/transcribe', { audio_url: crm.app.speech.audio() })
  expect(refused).toMatchObject(failed(402, 'INSUFFICIENT_CREDITS'))
  await credit(100)
  await request()
  expect(await transcriptOf(id)).toMatchObject({ credits_charged: 46 })
  expect(await balance()).toBe(84)
})

test('contacts and deals of another workspace are refused', async () => {
  const other = await crm.app.workspace()
  const foreign = created(await other.post('/contacts', { first_name: 'Foreign' })).id
  const response = await crm.ws.post('/transcripts/transcribe', { audio_url: crm.app.speech.audio(), contact_id: foreign })
  expect(response).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  const { id } = await request()
  expect(await other.get(`/transcripts/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await other.get(`/transcripts/coaching?transcript_id=${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('coaching measures who speaks, asks and interrupts, and every quote is in the transcript', async () => {
  const { id } = await request()
  expect(await crm.ws.get(`/transcripts/coaching?transcript_id=${id}`)).toMatchObject(failed(409, 'INVALID_STATE'))
  await report()
  const coaching = found(await crm.ws.get(`/transcripts/coaching?transcript_id=${id}`)) as Row
  const [agent, caller] = coaching.speakers
  expect(agent).toMatchObject({ speaker: 'Speaker 1', talk_seconds: 7.8, talk_ratio: 0.44, questions: 2, interruptions: 1 })
  expect(caller).toMatchObject({ speaker: 'Speaker 2', talk_seconds: 9.9, talk_ratio: 0.56, questions: 1, interruptions: 0 })
  expect(caller.longest_monologue_seconds).toBe(7.7)
  expect(coaching.interruptions).toEqual([
    { speaker: 'Speaker 1', at_seconds: 11.5, quote: 'Does Tuesday suit you?', interrupted: 'Speaker 2' },
  ])
  expect(coaching.silence_seconds).toBe(3)
  expect(coaching.questions.map(({ quote }: Row) => quote)).toEqual([
    'How can I help you?',
    'Does Tuesday suit you?',
    'What does a visit cost?',
  ])
  const { entries } = await transcriptOf(id)
  const text = entries.map((entry: Row) => entry.text).join('\n')
  for (const { quote } of [...coaching.questions, ...coaching.interruptions, coaching.longest_monologue]) expect(text).toContain(quote)
})

test('a purge of the contact takes the transcript and its quotes along', async () => {
  const contact = await crm.contact({ last_name: 'Transcribed' })
  const { id } = await request({ contact_id: contact.id })
  await report(0, { utterances: [{ start: 0, end: 2, speaker: 0, transcript: 'Zx9spoken words' }] })
  found(await crm.ws.delete(`/contacts/${contact.id}`))
  expect(await crm.ws.get(`/transcripts/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  found(await crm.ws.post(`/contacts/${contact.id}/restore`))
  expect((await transcriptOf(id)).entries).toHaveLength(1)
  found(await crm.ws.delete(`/contacts/${contact.id}?purge=true`))
  expect(await crm.ws.get(`/transcripts/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  const { rows } = await crm.app.owner.query(
    `select 1 from transcripts where workspace_id = $1 union all select 1 from deleted_rows
      where workspace_id = $1 and before::text like '%Zx9spoken%'
      union all select 1 from activities where workspace_id = $1 and body like '%Zx9spoken%'`,
    [crm.ws.id],
  )
  expect(rows).toEqual([])
})
