import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startChromium } from '../../bench/chromium.ts'
import { type LocalServer, startLocalServer } from '../../dev/local-server.ts'
import { found, useCrm } from '../routes/crm.ts'
import { eventType } from '../routes/scheduling/scheduling.ts'
import { formAt, openPage, visits } from '../routes/scheduling/visitor.ts'

const crm = useCrm({ docs: true })
const { bookings } = visits(crm)
let browser: Browser
let host: LocalServer
/** The site that shows the page of the company in a frame. */
let site: string
let company: string

beforeAll(async () => {
  browser = await startChromium()
  host = await startLocalServer(async (_, response) => {
    const { origin } = await crm.app.url()
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Site</title><h1>Our site</h1><script>
      news = []; addEventListener('message', ({ data }) => news.push(data)); events = []
      addEventListener('booking:booked', ({ detail }) => events.push(detail))</script>
      <script src="${origin}/book/embed/v1.js" data-page="${company}/first-meeting" data-title="Book a meeting"></script>`)
  })
  site = `http://localhost:${host.port}`
})
afterAll(async () => {
  await browser?.close()
  await host?.close()
})

test('a site shows the page in a frame that grows with it, learns that something was booked, and nothing about the visitor', async () => {
  await eventType(crm.ws, {})
  const path = await openPage(crm.ws)
  company = path.split('/').at(-1) as string
  const tab = await browser.tab({ width: 320, height: 640 })
  const refusals: string[] = []
  tab.on('Log.entryAdded', ({ entry }) => refusals.push(entry.text))

  await tab.open(`${site}/`)
  await expect.poll(() => refusals.join()).toContain('frame-ancestors')
  expect(await tab.evaluate('news')).toEqual([])

  const other = 'https://www.example.com'
  expect(found(await crm.ws.patch('/company/crm-settings', { booking_embed_origins: [site, other] })).booking_embed_origins).toEqual([
    site,
    other,
  ])
  await tab.open(`${site}/`)
  await tab.until(`news.some(({ type, height }) => type === 'booking:height' && height > 700)`)
  await tab.until(`document.querySelector('iframe').style.height === news.at(-1).height + 'px'`)
  expect(await tab.evaluate(`document.querySelector('iframe').title`)).toBe('Book a meeting')

  const { origin } = await crm.app.url()
  const form = `${origin}${formAt(path, '09:30')}`
  await tab.evaluate(`void (news.length = 0, document.querySelector('iframe').src = ${JSON.stringify(form)})`)
  await tab.until('news.length > 0')
  const press = async (key: string, windowsVirtualKeyCode: number, text?: string) => {
    const event = { key, code: key, windowsVirtualKeyCode }
    await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', ...event, ...(text && { text }) })
    await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
  }
  // Past the link to other times.
  await press('Tab', 9)
  for (const text of ['Ana Lee', 'ana@example.com']) {
    await press('Tab', 9)
    await tab.send('Input.insertText', { text })
  }
  await press('Enter', 13, '\r')
  await tab.until('events.length > 0')
  expect(await tab.evaluate('events')).toEqual([{ status: 'confirmed' }])
  expect(await tab.evaluate('JSON.stringify(news)')).not.toMatch(/ana/i)
  expect(await bookings()).toMatchObject([{ name: 'Ana Lee', status: 'confirmed' }])
  expect((await tab.send('Network.getCookies', { urls: [origin, site] })).cookies).toEqual([])

  // Nobody but the site's own page gets an answer, and a message of another origin changes nothing.
  const stranger = await browser.tab()
  await stranger.open(`${origin}${path}`)
  await stranger.evaluate(
    `window.heard = []; addEventListener('message', ({ data }) => heard.push(data)); postMessage({ type: 'booking:hello' }, '*')`,
  )
  await tab.evaluate(`postMessage({ type: 'booking:height', height: 5000 }, '*')`)
  expect(await tab.evaluate(`new Promise((done) => setTimeout(() => done(document.querySelector('iframe').style.height)))`)).not.toBe(
    '5000px',
  )
  expect(await stranger.evaluate('heard')).toEqual([{ type: 'booking:hello' }])
})
