import { expect, test } from 'vitest'
import { MAX_WAITING_REVIEWS } from '../../../src/features/reputation/rules/reputation.ts'
import { created, failed, found, type Row, refused, useCrm } from '../crm.ts'
import { asking } from './asking.ts'

const crm = useCrm({ own: true })
const { ready, person, linked, reviews, request, open, write, post } = asking(crm)
const formOf = (slug: string) => `/reputation/${slug}/review`

test('whoever was asked writes a review, which is a draft that the workspace publishes', async () => {
  const { slug } = await ready()
  const ana = await person({ first_name: 'Ana' })
  const { request: first, path } = await linked(ana)
  const form = await open(path)
  expect(form.status).toBe(200)
  expect(form.text).toContain('Your review of Bright Roofs')
  expect(form.text).toContain('value="Ana"')
  expect(form.text).toContain('<meta name="robots" content="noindex">')
  expect(form.headers.get('cache-control')).toBe('no-store')
  expect(form.headers.get('content-security-policy')).toContain("default-src 'none'")
  await open(path)
  expect([await crm.count('reputation_reviews'), (await request(first.id)).status]).toEqual([0, 'sent'])
  const sent = await write(path, { rating: '2', words: ' Late,\r\nbut <b>tidy</b>.\u0000 ', name: ' Ana   S. ' })
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `${path}?done=yes`])
  expect((await open(`${path}?done=yes`)).text).toContain('Thank you for your review')
  const [review] = (await reviews('?source=visitor')) as [Row]
  expect(review).toMatchObject({
    status: 'draft',
    rating: 2,
    testimonial_text: 'Late,\nbut <b>tidy</b>.',
    reviewer_name: 'Ana S.',
    source: 'visitor',
    verified: false,
    verified_by: null,
  })
  expect(await request(first.id)).toMatchObject({ status: 'reviewed', review_id: review.id, reviewed_at: expect.any(String) })
  expect((await open(`/reputation/${slug}`)).text).not.toContain('Late')
  expect(await crm.ws.post(`/reputation/reviews/${review.id}/publish`)).toMatchObject(failed(409, 'INVALID_STATE'))
  for (const verb of ['approve', 'publish']) found(await crm.ws.post(`/reputation/reviews/${review.id}/${verb}`))
  const page = await open(`/reputation/${slug}`)
  expect(page.text).toContain('but &lt;b&gt;tidy&lt;/b&gt;.')
  expect(page.text).not.toContain('Verified client')
})

test('a form that is sent again, also at the same time, makes one review', async () => {
  const { slug } = await ready({ accepts_reviews: true })
  const { request: invitation, path } = await linked(await person())
  const token = crypto.randomUUID()
  const all = [...Array.from({ length: 4 }, () => write(path)), ...Array.from({ length: 4 }, () => write(formOf(slug), { token }))]
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 303))
  const { review_id } = await request(invitation.id)
  expect(review_id).toEqual(expect.any(String))
  expect((await write(path, { words: 'Other words' })).status).toBe(303)
  expect(await request(invitation.id)).toMatchObject({ status: 'reviewed', review_id })
  expect(await crm.count('reputation_reviews')).toBe(2)
  expect((await open(path)).text).toContain('Thank you for your review')
  expect(found(await crm.ws.get('/reputation/stats')).reviews).toEqual({ total: 2, published: 0 })
})

test('what is wrong with a form is said with what was typed, and nothing is stored', async () => {
  const { slug } = await ready({ accepts_reviews: true })
  const { path } = await linked(await person())
  for (const at of [path, formOf(slug)]) {
    for (const [fields, message] of [
      [{ rating: '4.5' }, 'Choose a rating from 1 to 5'],
      [{ rating: '6' }, 'Choose a rating from 1 to 5'],
      [{ rating: '' }, 'Choose a rating from 1 to 5'],
      [{ words: '   ' }, 'Write a few words'],
      [{ words: 'x'.repeat(5_001) }, 'Write a few words'],
      [{ name: '\u0007' }, 'Enter your name'],
      [{ name: 'x'.repeat(201) }, 'Enter your name'],
      [{ website: 'https://spam.example' }, 'must stay empty'],
    ] as const) {
      const answer = await write(at, { words: 'Kept "words"', ...fields })
      expect([answer.status, answer.text.includes(message)], `${at} ${JSON.stringify(fields).slice(0, 60)}`).toEqual([422, true])
      if (!('words' in fields)) expect(answer.text).toContain('Kept &quot;words&quot;')
    }
    expect((await post(at, 'POST')).status).toBe(415)
  }
  expect(await crm.count('reputation_reviews')).toBe(0)
})

test('the page of everybody is open only where the profile allows it, and former slugs lead to it', async () => {
  const { slug } = await ready()
  expect((await open(formOf(slug))).status).toBe(404)
  expect((await write(formOf(slug))).status).toBe(404)
  expect((await open(`/reputation/${slug}`)).text).not.toContain('Write a review')
  found(await crm.ws.post('/reputation/profile', { accepts_reviews: true }))
  expect((await open(`/reputation/${slug}`)).text).toContain(`href="${formOf(slug)}">Write a review`)
  const next = `moved-${crypto.randomUUID().slice(0, 8)}`
  found(await crm.ws.post('/reputation/profile', { slug: next }))
  const moved = await open(`${formOf(slug)}?lang=de`)
  expect([moved.status, moved.headers.get('location')]).toEqual([301, `${formOf(next)}?lang=de`])
  expect((await write(formOf(slug))).headers.get('location')).toBe(`${formOf(next)}?done=yes`)
  expect((await open(`${formOf(next)}?lang=de`)).text).toContain('Ihre Bewertung von Bright Roofs')
  expect((await open('/reputation/no-such-page/review')).status).toBe(404)
  const { path } = await linked(await person())
  found(await crm.ws.post('/reputation/profile', { is_published: false }))
  for (const at of [formOf(next), path]) expect([(await open(at)).status, (await write(at)).status]).toEqual([404, 404])
})

test('only a booking that took place or a won deal of whoever has the link verifies a review', async () => {
  const { slug } = await ready({ accepts_reviews: true })
  const { id: event_type_id } = created(await crm.ws.post('/scheduled-event-types', { name: 'Visit', hosts: [{ user_id: crm.ws.userId }] }))
  const booking = async (contact_id: string, fields: Row) => {
    const starts_at = new Date(Date.now() - 3 * 3_600_000).toISOString()
    const ends_at = new Date(Date.now() - 2 * 3_600_000).toISOString()
    const names = { starts_at, ends_at, event_type_id, contact_id, ...fields }
    const row = [crm.ws.id, event_type_id, fields.status, names.starts_at, names.ends_at, crm.ws.userId, contact_id, crypto.randomUUID()]
    await crm.app.owner.query(
      `with w as materialized (select set_config('app.workspace_id', $1::text, true))
      insert into bookings (workspace_id, event_type_id, status, starts_at, ends_at, duration_minutes, timezone,
          wall_start, host_id, host_ids,
          contact_id, name, uid)
        select $1::uuid, $2, $3, $4, $5, 30, 'UTC', '2026-01-01T10:00', $6::uuid, array[$6::uuid], $7, 'A', $8 from w`,
      row,
    )
  }
  const { stages } = await crm.firstPipeline()
  const deal = async (contact_id: string, stage: keyof typeof stages) => {
    const { id } = await crm.opportunity({ stage_id: stages[stage] })
    found(await crm.ws.post(`/opportunities/${id}/contacts`, { contact_id }))
  }
  const proofs: [string, (id: string) => Promise<void>, string | null][] = [
    ['attended', (id) => booking(id, { status: 'attended' }), 'booking'],
    ['past', (id) => booking(id, { status: 'confirmed' }), 'booking'],
    ['cancelled', (id) => booking(id, { status: 'cancelled' }), null],
    ['no show', (id) => booking(id, { status: 'no_show' }), null],
    ['to come', (id) => booking(id, { status: 'confirmed', starts_at: '2099-01-01T00:00:00Z', ends_at: '2099-01-01T00:30:00Z' }), null],
    ['won', (id) => deal(id, 'Won'), 'won_deal'],
    ['lost', (id) => deal(id, 'Lost'), null],
    ['open', (id) => deal(id, 'New'), null],
  ]
  for (const [name, prove, proof] of proofs) {
    const one = await person()
    await prove(one.id)
    const { path } = await linked(one)
    await write(path, { name })
    const [review] = (await reviews(`?search=${encodeURIComponent(name)}`)) as [Row]
    expect([name, review.verified, review.verified_by]).toEqual([name, proof !== null, proof])
    await write(formOf(slug), { name: `Again ${name}` })
    expect((await reviews(`?search=${encodeURIComponent(`Again ${name}`)}`))[0]).toMatchObject({ verified: false, verified_by: null })
  }
  const [won] = (await reviews('?search=won')).filter(({ reviewer_name }) => reviewer_name === 'won') as [Row]
  for (const verb of ['approve', 'publish']) found(await crm.ws.post(`/reputation/reviews/${won.id}/${verb}`))
  expect((await open(`/reputation/${slug}`)).text).toContain('won · Verified client')
  expect(await crm.ws.patch(`/reputation/reviews/${won.id}`, { verified: false })).toMatchObject(refused('verified'))
  expect(await crm.ws.post('/reputation/reviews', { ...won, verified_by: 'booking' })).toMatchObject({ status: 400 })
}, 60_000)

test('what a reviewer has written is answered, not changed', async () => {
  await ready()
  const { path } = await linked(await person())
  await write(path)
  const [review] = (await reviews()) as [Row]
  const patch = (fields: Row) => crm.ws.patch(`/reputation/reviews/${review.id}`, fields)
  expect(await patch({ rating: 5 })).toMatchObject(refused('rating'))
  expect(await patch({ testimonial_text: 'Wonderful!' })).toMatchObject(refused('testimonial_text'))
  expect(await patch({ reviewer_name: 'Somebody' })).toMatchObject(refused('reviewer_name'))
  expect(await patch({ vendor_response: 'Thank you', rating: 5 })).toMatchObject(refused('rating'))
  expect(found(await patch({ rating: 4, testimonial_text: 'On time.', vendor_response: 'Thank you', featured: true }))).toMatchObject({
    rating: 4,
    vendor_response: 'Thank you',
    vendor_response_by: crm.ws.userId,
    featured: true,
  })
  const { id: profile_id } = found(await crm.ws.get('/reputation/profile'))
  const typed = (await crm.ws.post('/reputation/reviews', { profile_id, reviewer_name: 'Bo', rating: 3, testimonial_text: 'Good' })).body
    .data
  expect(found(await crm.ws.patch(`/reputation/reviews/${typed.id}`, { rating: 5 }))).toMatchObject({ rating: 5, source: 'workspace' })
})

test('whoever wants no such messages says so at the link, and can still write', async () => {
  await ready()
  const ana = await person()
  const { request: first, path } = await linked(ana)
  expect((await open(path)).text).toContain('No more emails, please')
  const refusal = await post(`${path}/refuse`, 'POST', {})
  expect([refusal.status, (await open(refusal.headers.get('location') as string)).text.includes('You get no more of them')]).toEqual([
    303,
    true,
  ])
  expect(await request(first.id)).toMatchObject({ status: 'stopped', reason: 'unsubscribed' })
  expect(found(await crm.ws.get(`/contacts/${ana.id}`)).email_unsubscribed).toBe(true)
  expect((await open(path)).text).toContain('Your review of Bright Roofs')
  expect((await write(path)).status).toBe(303)
  expect(await request(first.id)).toMatchObject({ status: 'reviewed' })
})

test('an unknown, an altered and an expired link look alike', async () => {
  await ready()
  const { path } = await linked(await person())
  const wrong = `${path.slice(0, -2)}xx`
  await crm.app.owner.query('update review_requests set expires_at = now() where workspace_id = $1', [crm.ws.id])
  const answers = [await open(path), await open(wrong), await open('/review/x'), await write(wrong)]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  expect(answers.every(({ text }) => text.includes('This page does not exist'))).toBe(true)
})

test('visitors of one address and reviews that wait are bounded', async () => {
  const { slug, id } = await ready({ accepts_reviews: true })
  await crm.app.owner.query(
    `insert into reputation_reviews (workspace_id, profile_id, reviewer_name, rating, testimonial_text, source)
      select $1, $2, 'N', 3, 'W', 'visitor' from generate_series(1, $3::int)`,
    [crm.ws.id, id, MAX_WAITING_REVIEWS - 1],
  )
  const token = crypto.randomUUID()
  expect((await write(formOf(slug), { token })).status).toBe(303)
  const full = await write(formOf(slug))
  expect([full.status, full.text.includes('many reviews to be read')]).toEqual([429, true])
  expect((await write(formOf(slug), { token })).status).toBe(303)
  expect(await crm.count('reputation_reviews')).toBe(MAX_WAITING_REVIEWS)
  const { path } = await linked(await person())
  expect((await write(path)).status).toBe(303)
})
