import { expect, test } from 'vitest'
import type { SentEmail } from '../../dev/email-emulator.ts'
import { campaigning } from '../routes/campaigning.ts'
import { created, found, type Row, refused, useCrm } from '../routes/crm.ts'
import { limit } from '../speed.ts'

/** A/B tests: two subjects for a sample, and the better one for the others. */
const crm = useCrm({ ownServer: true })
const { draft, later, path, people, recipients, report, reportOf, send, sentOf, show } = campaigning(crm)
const AB = { subject_b: 'News for {{first_name}}', sample_percent: 40, decide_after_minutes: 60, by: 'opens' }
const track = (campaign_open_tracking: boolean, campaign_click_tracking = false) =>
  crm.ws.patch('/company/crm-settings', { campaign_open_tracking, campaign_click_tracking })

const isB = ({ Subject }: SentEmail) => String(Subject).startsWith('News for')
const opens = async (emails: SentEmail[], kind: 'Open' | 'Click' = 'Open') => {
  for (const email of emails) await report(reportOf(email, kind, new Date().toISOString()))
  await crm.app.drain()
}
const untilDecision = async (id: string) => {
  await crm.app.owner.query("update campaign_sends set decide_at = now() - interval '1 minute' where campaign_id = $1", [id])
  await later(2)
}

test('each half of the sample gets one subject, and the others get the one that more have opened', async () => {
  await track(true)
  await people(20)
  const { id, ab_result } = await draft({ ab_test: AB })
  expect(ab_result).toMatchObject({ winner: null, decide_at: null, a: { recipients: 0 } })
  crm.app.email.clear()
  await send(id)
  await crm.app.drain()
  const sample = sentOf(id)
  expect([sample.length, sample.filter(isB).length]).toEqual([8, 4])
  expect(await show(id)).toMatchObject({
    status: 'sending',
    stats: { audience: 20, recipients: 20, queued: 12, sent: 8 },
    ab_result: {
      winner: null,
      decide_at: expect.any(String),
      decided_at: null,
      a: { recipients: 4, sent: 4 },
      b: { recipients: 4, sent: 4 },
    },
  })
  expect(Object.keys((await show(id)).stats)).not.toContain('a_sent')
  const toB = await recipients(id, '&variant=b')
  expect(toB.map(({ email }) => email).toSorted()).toEqual(
    sample
      .filter(isB)
      .map(({ To }) => To as string)
      .toSorted(),
  )
  expect((await recipients(id)).filter(({ variant }) => variant === null)).toHaveLength(12)
  await opens(sample.filter(isB).slice(0, 2))
  await opens(sample.filter((email) => !isB(email)).slice(0, 1), 'Click')
  await later()
  expect(sentOf(id)).toHaveLength(8)
  // A pause keeps the test; its time goes by meanwhile.
  found(await crm.ws.post(path(id, '/pause')))
  await untilDecision(id)
  expect(await show(id)).toMatchObject({ status: 'paused', ab_result: { winner: null } })
  found(await crm.ws.post(path(id, '/resume')))
  await crm.app.drain()
  expect(await show(id)).toMatchObject({
    status: 'sent',
    stats: { recipients: 20, queued: 0 },
    ab_result: {
      winner: 'b',
      decided_at: expect.any(String),
      a: { recipients: 4, clicked: 1 },
      b: { recipients: 16, opened: 2, sent: 14 },
    },
  })
  expect([sentOf(id).length, new Set(sentOf(id).map(({ To }) => To)).size, sentOf(id).filter(isB).length]).toEqual([20, 20, 16])
  expect(await recipients(id, '&variant=b&status=opened')).toHaveLength(2)
})

test('a draw and no data are for the first subject; nobody waits in an audience of two', async () => {
  await track(true, true)
  for (const [tag, count, clicks] of [
    ['Draw', 10, 1],
    ['Quiet', 10, 0],
    ['Two', 2, 0],
  ] as const) {
    await people(count, tag.toLowerCase(), tag)
    const { id } = await draft({ ab_test: { ...AB, by: 'clicks' }, segment_filter: { tags: [tag] } })
    await send(id)
    await crm.app.drain()
    const sample = sentOf(id)
    for (const half of [sample.filter(isB), sample.filter((email) => !isB(email))]) await opens(half.slice(0, clicks), 'Click')
    // More have opened the second one, which does not count.
    await opens(sample.filter(isB))
    await untilDecision(id)
    const winner = count === 2 ? null : 'a'
    expect([tag, await show(id)]).toMatchObject([tag, { status: 'sent', stats: { recipients: count, queued: 0 }, ab_result: { winner } }])
    expect(sentOf(id).filter(isB)).toHaveLength(count === 2 ? 1 : 2)
  }
})

test('a test without what decides it, or with a subject that cannot be sent, is refused; copies and test emails keep it', async () => {
  await track(false)
  await people(2)
  const { id } = await draft({ ab_test: { ...AB, subject_b: 'Hi {{name}} {{unsubscribe_url}}' } })
  expect(await crm.ws.post(path(id, '/send'))).toMatchObject(refused('ab_test.by', 'ab_test.subject_b', 'ab_test.subject_b'))
  expect(found(await crm.ws.get(path(id, '/preflight'))).issues[0].message).toContain('campaign_open_tracking')
  found(await crm.ws.patch(path(id), { ab_test: { ...AB, by: 'clicks' } }))
  await track(true)
  expect(await crm.ws.post(path(id, '/send'))).toMatchObject(refused('ab_test.by'))
  for (const wrong of [
    { sample_percent: 91 },
    { decide_after_minutes: 1 },
    { by: 'replies' },
    { subject_b: ' ' },
    { subject_b: 'A\r\nBcc: x' },
  ])
    expect(await crm.ws.patch(path(id), { ab_test: { ...AB, ...wrong } }), JSON.stringify(wrong)).toMatchObject({ status: 400 })
  found(await crm.ws.patch(path(id), { ab_test: AB }))
  expect(created(await crm.ws.post(path(id, '/duplicate'), { name: 'Copy' }))).toMatchObject({ ab_test: AB, ab_result: { winner: null } })
  crm.app.email.clear()
  const contact = await crm.contact({ first_name: 'Zoe' })
  for (const variant of ['a', 'b'])
    found(await crm.ws.post(path(id, '/test-send'), { email: `${variant}@example.com`, contact_id: contact.id, variant }))
  await crm.app.drain()
  expect(crm.app.email.sent.map(({ Subject }) => Subject)).toEqual(['[Test] Hello Zoe', '[Test] News for Zoe'])
  found(await crm.ws.patch(path(id), { ab_test: null }))
  expect(await crm.ws.post(path(id, '/test-send'), { email: 'b@example.com', variant: 'b' })).toMatchObject(refused('variant'))
})

test('the time until the decision begins when the sample was sent, not when its outcome was open', async () => {
  await track(true)
  await people(10, 'open', 'Open')
  const { id } = await draft({ ab_test: AB, segment_filter: { tags: ['Open'] } })
  crm.app.email.clear()
  crm.app.email.fail('drop', 1, false)
  await send(id)
  await crm.app.drain()
  expect(await show(id)).toMatchObject({ stats: { sent: 0, queued: 10 }, ab_result: { decide_at: null } })
  crm.app.email.failSearch('503')
  await later()
  expect(await show(id)).toMatchObject({ stats: { sent: 0, queued: 10 }, ab_result: { decide_at: null, winner: null } })
  await later(2)
  expect(await show(id)).toMatchObject({ stats: { sent: 4, queued: 6 }, ab_result: { decide_at: expect.any(String), winner: null } })
  await opens(sentOf(id).filter(isB))
  await untilDecision(id)
  expect(await show(id)).toMatchObject({ status: 'sent', stats: { queued: 0 }, ab_result: { winner: 'b', b: { recipients: 8 } } })
})

const STEPS = /next_campaign_step|add_recipients|decide_ab_test|settle_campaign_batch/

/** Loses the answer of the database to one of the steps of a test, which is carried out, and then lets the background catch up. */
async function interrupted(at: number): Promise<{ steps: number; id: string }> {
  const tag = `lost-${at}`
  await people(10, tag, tag)
  const { id } = await draft({ ab_test: AB, segment_filter: { tags: [tag] } })
  let steps = 0
  const run = async () => {
    crm.app.proxy.onRequest = (request) => {
      const queries = 'queries' in request ? request.queries : [request]
      steps += queries.some(({ query }) => STEPS.test(query)) ? 1 : 0
      crm.app.proxy.outage = steps === at ? 'lose_answer' : 'none'
    }
    await crm.app.cron('* * * * *')
    await crm.app.drain()
    Object.assign(crm.app.proxy, { onRequest: undefined, outage: 'none' })
    await later()
  }
  await crm.app.capture(true)
  await send(id)
  await crm.app.capture(false)
  await run()
  await opens(sentOf(id).filter(isB))
  await crm.app.owner.query("update campaign_sends set decide_at = now() - interval '1 minute', due_at = now() where campaign_id = $1", [
    id,
  ])
  await run()
  return { steps, id }
}

test('a lost answer at any step of a test sends each subject to whom it is for, once', { timeout: limit(120_000) }, async () => {
  await track(true)
  for (let at = 1; ; at++) {
    const { steps, id } = await interrupted(at)
    const outcome = { status: 'sent', stats: { audience: 10, recipients: 10, queued: 0 }, ab_result: { winner: 'b', b: { recipients: 8 } } }
    expect([at, await show(id)]).toMatchObject([at, outcome])
    const sent = sentOf(id)
    expect([at, sent.length, new Set(sent.map(({ To }) => To)).size, sent.filter(isB).length]).toEqual([at, 10, 10, 8])
    const rows = (await recipients(id)) as Row[]
    for (const email of sent) expect(rows.find((row) => row.email === email.To)?.variant).toBe(isB(email) ? 'b' : 'a')
    if (steps >= at) continue
    expect(at).toBeGreaterThan(9)
    return
  }
})
