import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startChromium, type Tab } from '../../bench/chromium.ts'
import { type LocalServer, startLocalServer } from '../../dev/local-server.ts'
import { sanitiseHtml } from '../../src/lib/sanitise-html.ts'
import { faultsOf, HOSTS, MESSAGE, prefixesOf, type Rendered } from '../lib/rendered.ts'
import { VECTORS } from '../lib/xss-vectors.ts'

const VECTORS_PER_PAGE = 20

let browser: Browser
let server: LocalServer
let page = ''

beforeAll(async () => {
  browser = await startChromium()
  server = await startLocalServer(({ url }, response) => {
    if (url !== '/') return void response.writeHead(404).end()
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page)
  })
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** Opens a page that counts its scripts which call `alert`, and returns how many did, and what was loaded besides the page. */
async function run(messages: readonly string[]) {
  page = `<!doctype html><script>ran = 0; alert = () => { ran++ }</script>${messages.map((html) => `<div>${html}</div>`).join('\n')}`
  const tab = await browser.tab()
  const loaded: string[] = []
  tab.on('Network.requestWillBeSent', ({ request }) => void loaded.push(request.url))
  const origin = `${server.url}/`
  await tab.open(origin)
  const ran = await tab.evaluate<number>('ran')
  await tab.close()
  return { ran, loaded: loaded.filter((url) => url !== origin && !url.endsWith('/favicon.ico')) }
}

test('a hostile message that is not sanitised runs scripts and loads images here', async () => {
  const { ran, loaded } = await run(['<img src=x onerror=alert(1)>', '<p>Hello</p><img src=y onerror="alert(1)" '])
  expect(ran).toBeGreaterThan(0)
  expect(loaded).not.toEqual([])
})

test('no beginning of a hostile message runs a script or loads anything', async () => {
  const all = VECTORS.map((vector) => prefixesOf(vector).map((html) => sanitiseHtml(html, { remoteImages: 'block' })))
  for (let at = 0; at < all.length; at += VECTORS_PER_PAGE) {
    const { ran, loaded } = await run(all.slice(at, at + VECTORS_PER_PAGE).flat())
    expect([ran, loaded.filter((url) => !url.startsWith('cid:'))], VECTORS[at]).toEqual([0, []])
  }
})

test('of every beginning of a hostile message the browser has elements of the list only, and the page stays whole', async () => {
  const tab = await browser.tab()
  const wholes = await render(
    tab,
    HOSTS.map((host) => host.replace(MESSAGE, '')),
  )
  const faults: string[] = []
  for (const vector of VECTORS) {
    const texts = prefixesOf(vector).map((html) => sanitiseHtml(html, { remoteImages: 'block' }))
    const pages = texts.flatMap((safe) => HOSTS.map((host) => host.replace(MESSAGE, () => safe)))
    for (const [number, { elements, rest }] of (await render(tab, pages)).entries()) {
      const found = [...faultsOf(elements), ...(rest === wholes[number % HOSTS.length]?.rest ? [] : [`left its place: ${rest}`])]
      faults.push(...found.map((fault) => `${pages[number]}: ${fault}`))
    }
  }
  expect(faults).toEqual([])
})

/** How the browser reads pages: the elements of the message, and the rest of the page. */
const render = (tab: Tab, pages: readonly string[]) =>
  tab.evaluate<{ elements: Rendered[]; rest: string }[]>(`${JSON.stringify(pages)}.map((page) => {
    const parsed = new DOMParser().parseFromString(page, 'text/html')
    const message = parsed.getElementById('message')
    const elements = [...message.querySelectorAll('*')].map((element) =>
      ({ name: element.localName, attributes: [...element.attributes].map(({ name, value }) => [name, value]) }))
    message.replaceChildren()
    return { elements, rest: parsed.documentElement.outerHTML }
  })`)
