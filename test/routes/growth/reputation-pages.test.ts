import type { Organization, WithContext } from 'schema-dts'
import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from '../crm.ts'

const crm = useCrm()
const slugOf = () => `page-${crypto.randomUUID().slice(0, 8)}`
const open = async (path: string, headers: Record<string, string> = {}) => {
  const response = await crm.app.fetch(path, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, html: await response.text() }
}
const profile = async (fields: Row = {}) =>
  created(await crm.ws.post('/reputation/profile', { slug: slugOf(), display_name: 'Bright Roofs', is_published: true, ...fields }))

async function add(path: 'reviews' | 'case-studies', fields: Row, ...verbs: string[]): Promise<Row> {
  const words = path === 'reviews' ? { reviewer_name: 'Ana Silva', rating: 5, testimonial_text: 'On time.' } : { title: 'A roof' }
  const { id } = created(await crm.ws.post(`/reputation/${path}`, { ...words, ...fields }))
  for (const verb of verbs) found(await crm.ws.post(`/reputation/${path}/${id}/${verb}`))
  return { id }
}
const PUBLISHED = ['approve', 'publish']
const dataIn = (html: string) =>
  JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? 'null') as WithContext<Organization> & Row

test('the page shows what is published, and nothing else', async () => {
  const { id: profile_id, slug } = await profile({
    description: 'Solar roofs\nsince 2009',
    website: 'https://roofs.example',
    category: 'Solar',
  })
  const { id } = await add('reviews', { profile_id, rating: 4, testimonial_text: 'Very <b>tidy</b>.' }, ...PUBLISHED)
  await add('reviews', { profile_id, testimonial_text: 'A draft.' })
  await add('reviews', { profile_id, testimonial_text: 'Only approved.' }, 'approve')
  await add('case-studies', { profile_id, title: 'A hidden roof' }, 'approve')
  found(await crm.ws.patch(`/reputation/reviews/${id}`, { vendor_response: 'Thank you!' }))
  const page = await open(`/reputation/${slug}`)
  expect(page.status).toBe(200)
  for (const text of [
    '<h1>Bright Roofs</h1>',
    'Very &lt;b&gt;tidy&lt;/b&gt;.',
    'Thank you!',
    'Response from Bright Roofs',
    '4 out of 5, from 1 review',
  ])
    expect(page.html).toContain(text)
  for (const text of ['A draft.', 'Only approved.', 'A hidden roof', 'noindex']) expect(page.html).not.toContain(text)
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*img-src https:;.*frame-ancestors 'none'$/)
  expect((await open(`/reputation/${slug}`, { 'accept-language': 'de' })).html).toContain('4 von 5, aus 1 Bewertung')
  found(await crm.ws.post(`/reputation/reviews/${id}/unpublish`))
  expect((await open(`/reputation/${slug}`)).html).toContain('There are no reviews yet.')
})

test('the page has the colour of the profile, or else of the workspace', async () => {
  found(await crm.ws.patch('/company', { primary_color: '#123456' }))
  const { slug } = await profile()
  expect((await open(`/reputation/${slug}`)).html).toContain('--brand:#123456')
  found(await crm.ws.post('/reputation/profile', { primary_color: 'gold' }))
  expect((await open(`/reputation/${slug}`)).html).toContain('--brand:#ffd700')
})

test('its data for programs are what is visible, and no text ends their element', async () => {
  const { id: profile_id, slug } = await profile({ description: '</script><script>alert(1)</script>' })
  const evil = 'Fine </script><img src=x onerror=alert(1)> & more\u2028'
  await add('reviews', { profile_id, rating: 5, testimonial_text: evil }, ...PUBLISHED)
  await add('reviews', { profile_id, rating: 2 }, ...PUBLISHED)
  await add('reviews', { profile_id, rating: 1, testimonial_text: 'A draft.' })
  const { html } = await open(`/reputation/${slug}`)
  expect(html.match(/<\/script>/g)).toHaveLength(1)
  const data = dataIn(html)
  expect(data).toMatchObject({
    '@type': 'Organization',
    name: 'Bright Roofs',
    aggregateRating: { '@type': 'AggregateRating', ratingValue: 3.5, reviewCount: 2, bestRating: 5, worstRating: 1 },
  })
  const reviews = data.review as Row[]
  expect(reviews.map((one) => one.reviewRating.ratingValue)).toEqual([2, 5])
  expect(reviews[1]?.reviewBody).toContain('</script>')
  expect(reviews.some((one) => 'aggregateRating' in one)).toBe(false)
})

test('a page that is not published looks like one that does not exist', async () => {
  const { slug } = await profile({ is_published: false })
  const [closed, unknown] = [await open(`/reputation/${slug}`), await open('/reputation/no-such-page')]
  expect([closed.status, unknown.status]).toEqual([404, 404])
  expect(closed.html.replaceAll(slug, '')).toBe(unknown.html.replaceAll('no-such-page', ''))
})

test('former slugs lead to the page, with its language and its case studies', async () => {
  const { id: profile_id, slug } = await profile()
  const { id } = await add('case-studies', { profile_id, content: 'The whole story' }, ...PUBLISHED)
  const second = slugOf()
  found(await crm.ws.post('/reputation/profile', { slug: slugOf() }))
  found(await crm.ws.post('/reputation/profile', { slug: second }))
  const moved = await open(`/reputation/${slug}?lang=de`)
  expect([moved.status, moved.headers.get('location')]).toEqual([301, `/reputation/${second}?lang=de`])
  const study = await open(`/reputation/${slug}/case-studies/${id}`)
  expect([study.status, study.headers.get('location')]).toEqual([301, `/reputation/${second}/case-studies/${id}`])
  expect((await open(`/reputation/${second}/case-studies/${id}`)).html).toContain('The whole story')
  found(await crm.ws.post('/reputation/profile', { is_published: false }))
  expect((await open(`/reputation/${slug}`)).status).toBe(404)
})

test('case studies are listed in their order, and have pages of their own while they are published', async () => {
  const { id: profile_id, slug } = await profile()
  const ids = []
  for (const title of ['First', 'Second'])
    ids.push((await add('case-studies', { profile_id, title, client_name: 'Harbour Hotels' }, ...PUBLISHED)).id)
  const { id: draft } = await add('case-studies', { profile_id, title: 'Third' })
  found(await crm.ws.post('/reputation/case-studies/reorder', { case_study_ids: [ids[1], ids[0], draft] }))
  const { html } = await open(`/reputation/${slug}`)
  expect([...html.matchAll(/case-studies\/[^"]+">([^<]+)/g)].map(([, title]) => title)).toEqual(['Second', 'First'])
  const path = `/reputation/${slug}/case-studies`
  expect((await open(`${path}/${ids[0]}`)).html).toContain('<dd>Harbour Hotels</dd>')
  expect((await open(`${path}/${draft}`)).status).toBe(404)
  const other = await crm.app.workspace()
  const theirs = created(await other.post('/reputation/profile', { slug: slugOf(), display_name: 'Other', is_published: true }))
  expect((await open(`/reputation/${theirs.slug}/case-studies/${ids[0]}`)).status).toBe(404)
})

test('reviews are shown ten at a time, featured ones first, and a page stays small', async () => {
  const { id: profile_id, slug } = await profile()
  for (let n = 1; n <= 12; n++) await add('reviews', { profile_id, reviewer_name: `Person ${n}.`, featured: n === 3 }, ...PUBLISHED)
  const names = (html: string) => [...html.matchAll(/class="who">Person (\d+)\./g)].map(([, n]) => Number(n))
  const first = await open(`/reputation/${slug}`)
  expect(names(first.html)).toEqual([3, 12, 11, 10, 9, 8, 7, 6, 5, 4])
  const next = /href="([^"]+)">More reviews/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') as string
  const second = await open(next)
  expect(names(second.html)).toEqual([2, 1])
  expect(second.html).toContain('To the first reviews')
  for (let n = 1; n <= 9; n++) await add('reviews', { profile_id, testimonial_text: 'x'.repeat(5_000) }, ...PUBLISHED)
  expect(new TextEncoder().encode((await open(`/reputation/${slug}`)).html).length).toBeLessThan(60_000)
})
