import { describe, expect, test } from 'vitest'
import { MAX_SLUGS, REVIEW_STATUSES, REVIEW_TRANSITIONS } from '../../../src/features/reputation/rules/reputation.ts'
import { proving } from '../../proof.ts'
import { created, failed, found, nobody, type Row, refused, useCrm } from '../crm.ts'

/** Reviews that are published at once. */
const MANY = proving ? 400 : 40
const crm = useCrm()
const slug = () => `roofs-${crypto.randomUUID().slice(0, 8)}`
const setProfile = (fields: Row) => crm.ws.post('/reputation/profile', fields)
const profile = async (fields: Row = {}) => created(await setProfile({ slug: slug(), display_name: 'Bright Roofs', ...fields }))
const stats = async () => found(await crm.ws.get('/reputation/stats'))
const WORDS = { reviewer_name: 'Ana Silva', rating: 5, testimonial_text: 'On time and tidy.' }
const review = async (profile_id: string, fields: Row = {}) =>
  created(await crm.ws.post('/reputation/reviews', { profile_id, ...WORDS, ...fields }))
const act = (id: string, verb: string) => crm.ws.post(`/reputation/reviews/${id}/${verb}`)
async function published(profile_id: string, rating: number) {
  const { id } = await review(profile_id, { rating })
  found(await act(id, 'approve'))
  return found(await act(id, 'publish'))
}

describe('the profile', () => {
  test('is created with a slug and a name, and then takes only what is sent', async () => {
    expect(await crm.ws.get('/reputation/profile')).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await setProfile({ description: 'Solar roofs' })).toMatchObject(refused('slug'))
    expect(await setProfile({ slug: slug() })).toMatchObject(refused('display_name'))
    const first = await profile({ category: 'Solar' })
    expect(first).toMatchObject({ display_name: 'Bright Roofs', is_published: false, overall_rating: null, total_reviews: 0, version: 1 })
    const again = await setProfile({ is_published: true })
    expect(again.status).toBe(200)
    expect(again.body.data).toMatchObject({ id: first.id, slug: first.slug, category: 'Solar', is_published: true, version: 2 })
    expect(found(await crm.ws.get('/reputation/profile'))).toEqual(again.body.data)
  })

  test('is one, however many create it at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => setProfile({ slug: slug(), display_name: `Roofs ${n}` })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(await crm.count('reputation_profiles')).toBe(1)
  })

  test('has a slug that nobody else has or had', async () => {
    const { slug: first } = await profile()
    found(await setProfile({ slug: slug() }))
    const other = await crm.app.workspace()
    expect(await other.post('/reputation/profile', { slug: first, display_name: 'Other' })).toMatchObject({
      ...failed(409, 'CONFLICT'),
      body: { error: { details: { field: 'slug' } } },
    })
    expect(found(await setProfile({ slug: first })).slug).toBe(first)
    expect(await setProfile({ slug: '../x' })).toMatchObject(refused('slug'))
  })

  test('has a limit on the slugs that lead to it', async () => {
    await profile()
    for (let n = 1; n < MAX_SLUGS; n++) found(await setProfile({ slug: slug() }))
    expect(await setProfile({ slug: slug() })).toMatchObject(refused('slug'))
  })
})

describe('reviews', () => {
  test('begin as drafts, and refuse what is no rating', async () => {
    const { id } = await profile()
    expect(await review(id)).toMatchObject({ ...WORDS, status: 'draft', featured: false, approved_by: null, published_at: null })
    const post = (fields: Row) => crm.ws.post('/reputation/reviews', { profile_id: id, ...WORDS, ...fields })
    for (const rating of [4.5, 0, 6, '5']) expect(await post({ rating })).toMatchObject(refused('rating'))
    expect(await post({ testimonial_text: '  ' })).toMatchObject(refused('testimonial_text'))
    expect(await post({ profile_id: nobody })).toMatchObject(refused('profile_id'))
    expect(await crm.ws.post('/reputation/reviews', {})).toMatchObject(refused('profile_id', 'reviewer_name', 'rating', 'testimonial_text'))
  })

  test('are approved, published and taken back, and the figures follow', async () => {
    const { id: profile_id } = await profile()
    const { id } = await review(profile_id, { rating: 4 })
    const approved = found(await act(id, 'approve'))
    expect(approved).toMatchObject({ status: 'approved', approved_by: crm.ws.userId, published_at: null })
    expect(approved.approved_at).not.toBeNull()
    expect(found(await act(id, 'publish'))).toMatchObject({ status: 'published', approved_by: crm.ws.userId })
    await published(profile_id, 5)
    await review(profile_id)
    expect(await stats()).toMatchObject({
      profile: { id: profile_id, is_published: false, overall_rating: 4.5 },
      reviews: { total: 3, published: 2 },
      rating_distribution: { 1: 0, 2: 0, 3: 0, 4: 1, 5: 1 },
    })
    expect(found(await crm.ws.patch(`/reputation/reviews/${id}`, { rating: 2 }))).toMatchObject({ rating: 2, status: 'published' })
    expect(found(await crm.ws.get('/reputation/profile'))).toMatchObject({ overall_rating: 3.5, total_reviews: 2 })
    expect(found(await act(id, 'unpublish'))).toMatchObject({ status: 'approved', published_at: null })
    expect(await stats()).toMatchObject({ profile: { overall_rating: 5 }, reviews: { total: 3, published: 1 } })
  })

  test('change their state only as the table says', async () => {
    const { id: profile_id } = await profile()
    const ids: Row = {}
    for (const status of REVIEW_STATUSES) {
      const { id } = status === 'published' ? await published(profile_id, 5) : await review(profile_id)
      if (status === 'approved') await act(id, 'approve')
      if (status === 'rejected') await act(id, 'reject')
      ids[status] = id
    }
    for (const [verb, steps] of Object.entries(REVIEW_TRANSITIONS))
      for (const status of REVIEW_STATUSES) {
        const answer = await crm.ws.post(`/reputation/reviews/${ids[status]}/${verb}?dry_run=true`)
        const to = (steps as Record<string, string>)[status]
        if (to) expect(found(answer).status, `${verb} ${status}`).toBe(to)
        else
          expect(answer, `${verb} ${status}`).toMatchObject({
            ...failed(409, 'INVALID_STATE'),
            body: { error: { details: { state: status, allowed: Object.keys(steps) } } },
          })
      }
  })

  test('published at once give exact totals, and deleted ones are taken out for good', async () => {
    const { id: profile_id } = await profile()
    const ids = await Promise.all(
      Array.from({ length: MANY }, async (_, n) => {
        const { id } = await review(profile_id, { rating: (n % 5) + 1 })
        found(await act(id, 'approve'))
        return id
      }),
    )
    const answers = await Promise.all(ids.map((id) => act(id, 'publish')))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await stats()).toMatchObject({
      profile: { overall_rating: 3 },
      reviews: { total: MANY, published: MANY },
      rating_distribution: Object.fromEntries([1, 2, 3, 4, 5].map((stars) => [stars, MANY / 5])),
    })
    const ones = ids.filter((_, n) => n % 5 === 0)
    await Promise.all(ones.map(async (id) => found(await crm.ws.delete(`/reputation/reviews/${id}`))))
    expect(await stats()).toMatchObject({ profile: { overall_rating: 3.5 }, reviews: { total: (MANY / 5) * 4, published: (MANY / 5) * 4 } })
    expect((await crm.ws.post(`/reputation/reviews/${ones[0]}/restore`)).status).toBe(404)
    expect(await crm.ws.get(`/reputation/reviews/${ones[0]}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  }, 60_000)

  test('are published once by two at the same time', async () => {
    const { id: profile_id } = await profile()
    const { id } = await review(profile_id)
    found(await act(id, 'approve'))
    const answers = await Promise.all(Array.from({ length: 6 }, () => act(id, 'publish')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
    expect((await stats()).reviews).toEqual({ total: 1, published: 1 })
  })

  test('note who answered, and when', async () => {
    const { id: profile_id } = await profile()
    const { id } = await review(profile_id)
    const answered = found(await crm.ws.patch(`/reputation/reviews/${id}`, { vendor_response: 'Thank you!' }))
    expect(answered).toMatchObject({ vendor_response: 'Thank you!', vendor_response_by: crm.ws.userId })
    expect(Math.abs(Date.parse(answered.vendor_response_at) - Date.now())).toBeLessThan(60_000)
    expect(found(await crm.ws.patch(`/reputation/reviews/${id}`, { featured: true }))).toMatchObject({
      vendor_response_at: answered.vendor_response_at,
    })
    expect(found(await crm.ws.patch(`/reputation/reviews/${id}`, { vendor_response: null }))).toMatchObject({
      vendor_response: null,
      vendor_response_by: null,
      vendor_response_at: null,
    })
  })

  test('are found by state, rating, service and words', async () => {
    const { id: profile_id } = await profile()
    const first = await review(profile_id, { service_category: 'Repair', featured: true, rating: 3 })
    const second = await review(profile_id, { reviewer_name: 'Bo Lind', testimonial_text: 'The gutters are splendid.' })
    await act(second.id, 'approve')
    const list = async (query: string) => found(await crm.ws.get(`/reputation/reviews?${query}`)).map(({ id }: Row) => id)
    expect(await list('')).toEqual([second.id, first.id])
    expect(await list('status=approved')).toEqual([second.id])
    expect(await list('featured=true')).toEqual([first.id])
    expect(await list('service_category=Repair')).toEqual([first.id])
    expect(await list('rating=3')).toEqual([first.id])
    expect(await list('search=splendid')).toEqual([second.id])
    expect(await list('search=silva')).toEqual([first.id])
    expect(await list('search=silva&status=approved')).toEqual([])
    expect(await crm.ws.get('/reputation/reviews?rating=4.5')).toMatchObject(refused('rating'))
  })
})

describe('case studies', () => {
  const study = async (profile_id: string, fields: Row = {}) =>
    created(await crm.ws.post('/reputation/case-studies', { profile_id, title: 'A roof', ...fields }))

  test('are approved before they are published, and counted by state', async () => {
    const { id: profile_id } = await profile()
    const { id } = await study(profile_id)
    await study(profile_id)
    const act = (verb: string) => crm.ws.post(`/reputation/case-studies/${id}/${verb}`)
    expect(await act('publish')).toMatchObject(failed(409, 'INVALID_STATE'))
    expect(found(await act('approve'))).toMatchObject({ status: 'approved', approved_by: crm.ws.userId })
    expect(found(await act('publish')).published_at).not.toBeNull()
    expect((await stats()).case_studies).toEqual({ draft: 1, approved: 0, published: 1 })
    expect(found(await crm.ws.get('/reputation/profile')).case_study_counts).toEqual({ draft: 1, approved: 0, published: 1 })
    expect(found(await act('unpublish'))).toMatchObject({ status: 'approved', published_at: null })
  })

  test('are shown in the order that they are put in', async () => {
    const { id: profile_id } = await profile()
    const ids = []
    for (const title of ['A', 'B', 'C']) ids.push((await study(profile_id, { title })).id)
    const reorder = (case_study_ids: string[]) => crm.ws.post('/reputation/case-studies/reorder', { case_study_ids })
    const [a, b, c] = ids as [string, string, string]
    expect(found(await reorder([c, a, b])).map(({ title, position }: Row) => [title, position])).toEqual([
      ['C', 0],
      ['A', 1],
      ['B', 2],
    ])
    expect(await reorder([c, a])).toMatchObject(refused('case_study_ids'))
    expect(await reorder([c, a, b, nobody])).toMatchObject(refused('case_study_ids.3'))
    expect((await study(profile_id)).position).toBe(3)
  })
})

test('nothing crosses workspaces', async () => {
  const { id: profile_id } = await profile()
  const { id } = await review(profile_id)
  const other = await crm.app.workspace()
  expect(await other.get(`/reputation/reviews/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await other.post(`/reputation/reviews/${id}/approve`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await other.post('/reputation/reviews', { profile_id, ...WORDS })).toMatchObject(refused('profile_id'))
  expect(found(await other.get('/reputation/stats'))).toMatchObject({ profile: null, reviews: { total: 0, published: 0 } })
})
