import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startChromium } from '../../bench/chromium.ts'
import { created, found, useCrm } from '../routes/crm.ts'
import { newReader } from './reader.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser?.close())
const crm = useCrm({ own: true })

async function publish(path: string, fields: Record<string, unknown>): Promise<string> {
  const { id } = created(await crm.ws.post(path, fields))
  for (const verb of ['approve', 'publish']) found(await crm.ws.post(`${path}/${id}/${verb}`))
  return id
}

/** A page with everything that a page can have. */
async function filled(): Promise<string> {
  found(await crm.ws.patch('/company', { primary_color: '#ffd200' }))
  const { id: profile_id, slug } = created(
    await crm.ws.post('/reputation/profile', {
      slug: `seen-${crypto.randomUUID().slice(0, 8)}`,
      display_name: 'Bright Roofs',
      category: 'Solar installation',
      is_published: true,
      description: 'Solar roofs since 2009.\nIn Sydney and around it.',
      website: 'https://roofs.example',
    }),
  )
  for (let n = 1; n <= 11; n++) {
    const words = { reviewer_name: `Ana Silva ${n}`, reviewer_title: 'Facility manager', reviewer_company: 'Harbour Hotels' }
    const text = { testimonial_text: 'On time and tidy. The roof pays for itself.', service_category: 'Installation' }
    const id = await publish('/reputation/reviews', { profile_id, rating: (n % 5) + 1, ...words, ...text })
    if (n % 4 === 3) found(await crm.ws.patch(`/reputation/reviews/${id}`, { vendor_response: 'Thank you, Ana!' }))
  }
  const study = {
    title: 'A roof that pays for itself',
    client_name: 'Harbour Hotels',
    summary: 'A third less energy.',
    content: 'The story.',
  }
  await publish('/reputation/case-studies', { profile_id, ...study })
  return slug
}

test.each([
  ['light, with scripts', { dark: false, scripts: true }],
  ['dark, with scripts', { dark: true, scripts: true }],
  ['light, without scripts', { dark: false, scripts: false }],
] as const)('a visitor reads the page of a workspace by keyboard alone on a screen of 320 pixels: %s', async (_, options) => {
  const slug = await filled()
  const reader = await newReader(browser, { width: 320, height: 640, ...options })
  const { origin } = await crm.app.url()
  await reader.open(`${origin}/reputation/${slug}`)
  await reader.sees('What clients say')
  await reader.check()
  const colour = await reader.tab.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  expect((colour.match(/\d+/g) ?? []).slice(0, 3).every((part) => Number(part) < 128)).toBe(options.dark)
  expect(await reader.text()).toContain('Response from Bright Roofs')
  await reader.follow(/^More reviews/)
  await reader.sees('To the first reviews')
  await reader.check()
  await reader.follow(/^To the first reviews/)
  await reader.sees('Case studies')
  await reader.follow(/^A roof that pays/)
  await reader.sees('The story.')
  await reader.check()
  await reader.follow(/^Deutsch/)
  await reader.sees('Alle Bewertungen')
  await reader.follow(/^Alle Bewertungen/)
  await reader.sees('Was Kunden sagen')
  await reader.check()
})

test.each([
  ['light, with scripts', { dark: false, scripts: true }],
  ['dark, without scripts', { dark: true, scripts: false }],
] as const)('a visitor writes a review by keyboard alone on a screen of 320 pixels: %s', async (_, options) => {
  const slug = await filled()
  found(await crm.ws.post('/reputation/profile', { accepts_reviews: true }))
  const reader = await newReader(browser, { width: 320, height: 640, ...options })
  const { origin } = await crm.app.url()
  await reader.open(`${origin}/reputation/${slug}`)
  await reader.follow(/^Write a review/)
  await reader.sees('Your review of Bright Roofs')
  await reader.check()
  await reader.goTo(/^5 – Very good/)
  await reader.press('ArrowDown')
  await reader.goTo(/^Your review/)
  await reader.tab.send('Input.insertText', { text: 'On time.' })
  await reader.tab.evaluate("document.querySelector('form').noValidate = true")
  await reader.follow(/^Send the review/)
  await reader.sees('Enter your name')
  await reader.check()
  await reader.follow(/^Enter your name/)
  await reader.write(/^Your name/, 'Ana S.')
  await reader.follow(/^Send the review/)
  await reader.sees('Thank you for your review')
  await reader.check()
  const [review] = found(await crm.ws.get('/reputation/reviews?source=visitor'))
  expect(review).toMatchObject({ rating: 4, testimonial_text: 'On time.', reviewer_name: 'Ana S.', status: 'draft', verified: false })
})
