import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startChromium } from '../../bench/chromium.ts'
import { type LocalServer, startLocalServer } from '../../dev/local-server.ts'
import { rebuildSvg } from '../../src/lib/safe-svg.ts'
import { SVG_ATTACKS } from '../lib/svg-attacks.ts'

let browser: Browser
let server: LocalServer
let picture = ''

beforeAll(async () => {
  browser = await startChromium()
  server = await startLocalServer(({ url }, response) => {
    if (url !== '/picture.svg') return void response.writeHead(404).end()
    response.setHeader('content-type', 'image/svg+xml').end(picture)
  })
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** Opens pictures as pages of their own, where they can do most. Returns for each what it did: a dialog of a script, or what it loaded. */
async function openEach(pictures: readonly string[]): Promise<string[][]> {
  const tab = await browser.tab()
  const origin = `${server.url}/`
  let did: string[] = []
  tab.on('Page.javascriptDialogOpening', ({ message }) => {
    did.push(`opened the dialog ${message}`)
    tab.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => {})
  })
  tab.on('Network.requestWillBeSent', ({ request }) => {
    if (!request.url.startsWith(origin)) did.push(`requested ${request.url}`)
  })
  const all: string[][] = []
  for (const one of pictures) {
    ;[did, picture] = [[], one]
    await tab.open(`${origin}picture.svg`)
    // What waits for a click gets one.
    await tab.evaluate(
      `for (const element of document.querySelectorAll('*')) element.dispatchEvent(new MouseEvent('click', { bubbles: true }))`,
    )
    all.push(did)
    await tab.send('Page.navigate', { url: 'about:blank' })
  }
  await tab.close()
  return all
}

test('hostile pictures run scripts and load images here, as they are', async () => {
  const done = await openEach(SVG_ATTACKS.map(([, source]) => source))
  expect(done.filter((did) => did.length > 0).length).toBeGreaterThan(5)
})

test('once they are rebuilt, none runs a script or loads anything', async () => {
  const done = await openEach(SVG_ATTACKS.map(([, source]) => rebuildSvg(source) ?? ''))
  expect(SVG_ATTACKS.flatMap(([name], at) => (done[at]?.length ? [[name, done[at]]] : []))).toEqual([])
})
