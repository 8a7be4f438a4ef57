import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Reference, readDocument } from '../dev/docs/document.ts'
import { writeSite } from '../dev/docs/site.ts'
import { root } from '../dev/settings.ts'
import { createWorkspace } from '../dev/workspace.ts'
import { type Browser, startChromium, type Tab } from './chromium.ts'
import { serveDocs } from './docs-server.ts'
import { runWorker, startStack } from './stack.ts'

/**
 * Measures the documentation in a real browser: the cost of opening a page and an operation of a document of 1,000 operations (Chromium's
 * TaskDuration, median of five). It also checks that search, links, "Try it" and the themes work without external requests.
 */

const { values } = parseArgs({ options: { operations: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '5' } } })
const [OPERATIONS, ROUNDS] = [Number(values.operations), Number(values.rounds)]
const USABLE = 1.5
const ONE_OPERATION = 0.2

const text = grown(readFileSync(join(root, 'openapi.json'), 'utf8'), OPERATIONS)
const reference = readDocument(text)
const largest = reference.resources.toSorted((a, b) => b.operations.length - a.operations.length)[0]!
const failures: string[] = []

const stack = await startStack()
const site = join(stack.dir, 'site')
mkdirSync(site)
writeSite(site, text, join(root, 'guides'))
const { key } = await createWorkspace(stack.owner, { name: 'Docs', ownerEmail: 'owner@example.com', ownerName: 'Owner' })
const worker = await runWorker('bench/bench-worker.ts', stack)
const server = await serveDocs(site, worker.url)
const browser = await startChromium()
try {
  console.log(
    `${OPERATIONS} operations on ${reference.resources.length} pages; the largest, ${largest.name}, has ${largest.operations.length}\n`,
  )
  await measure(browser, server.url)
  await check(browser, server.url, reference)
} finally {
  await browser.close()
  server.close()
  await worker.stop()
  await stack.stop()
}
for (const failure of failures) console.error(`FAILED: ${failure}`)
process.exit(failures.length === 0 ? 0 : 1)

/** The document with its resources repeated under other names, up to the given number of operations. */
function grown(source: string, size: number): string {
  const document = JSON.parse(source)
  const paths = Object.entries(document.paths as Record<string, Record<string, { tags: string[]; operationId: string }>>)
  let count = paths.reduce((sum, [, methods]) => sum + Object.keys(methods).length, 0)
  for (let copy = 2; count < size; copy++)
    for (const [path, methods] of paths) {
      const added = Object.entries(methods)
        .slice(0, Math.max(0, size - count))
        .map(([method, one]) => [method, { ...one, tags: [`${one.tags[0]} ${copy}`], operationId: `${one.operationId}${copy}` }])
      count += added.length
      if (added.length > 0) document.paths[`/part-${copy}${path}`] = Object.fromEntries(added)
    }
  const tags = Object.values(document.paths as object).flatMap((methods) => Object.values(methods as object).map(({ tags }) => tags[0]))
  return JSON.stringify({ ...document, tags: [...new Set(tags)].map((name) => ({ name })) })
}

async function measure(from: Browser, url: string): Promise<void> {
  const page = `${url}/docs/${largest.slug}`
  const last = largest.operations.at(-1)!.id
  await gate('Open the start page', USABLE, from, (tab) => opened(tab, `${url}/docs/`))
  await gate('Open the largest page', USABLE, from, (tab) => opened(tab, page))
  await gate(
    'Open an operation by its address, in a new tab',
    ONE_OPERATION,
    from,
    async (tab) => void (await openOperation(tab, page, last)),
  )
  await gate('Go to an operation in the navigation', ONE_OPERATION, from, async (tab) => {
    await tab.open(page)
    return async () => {
      await tab.evaluate(`document.querySelector('.operations a[href="#${last}"]').click()`)
      await tab.until(contentOf(last))
    }
  })
  await gate('Search and show what is found', ONE_OPERATION, from, async (tab) => {
    await tab.open(`${url}/docs/`)
    return () => searchFor(tab, 'create contact')
  })
  await gate('Unfold a response', ONE_OPERATION, from, async (tab) => {
    await openOperation(tab, page, last)
    return () => tab.evaluate(`for (const one of document.querySelectorAll('#${last} .reply, #${last} [data-object]')) one.open = true`)
  })
  await gate('Open "Try it"', ONE_OPERATION, from, async (tab) => {
    await openOperation(tab, page, last)
    return () =>
      tab.evaluate(`document.querySelector('[data-try="${last}"]').click()`).then(() => tab.until(`document.querySelector('dialog.try')`))
  })
}

function contentOf(id: string): string {
  return `document.querySelector('#${id} .columns')`
}

async function openOperation(tab: Tab, page: string, id: string): Promise<void> {
  await tab.open(`${page}#${id}`)
  await tab.until(contentOf(id))
}

/** Opening the page is the measured action. */
async function opened(tab: Tab, url: string): Promise<undefined> {
  await tab.open(url)
}

type Action = () => Promise<unknown>

/** Returns the median cost of `prepare`, or of the action that it returns. */
async function gate(name: string, limit: number, from: Browser, prepare: (tab: Tab) => Promise<Action | undefined>): Promise<void> {
  const costs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const tab = await from.tab()
    const action = await prepare(tab)
    const before = action ? await tab.taskSeconds() : 0
    await action?.()
    costs.push((await tab.taskSeconds()) - before)
    await tab.close()
  }
  const median = costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 2)]!
  if (median > limit) failures.push(`${name}: ${median.toFixed(3)} s, limit ${limit} s`)
  console.log(`${median.toFixed(3)} s of ${limit.toFixed(1)} s  ${name}`)
}

async function searchFor(tab: Tab, query: string): Promise<void> {
  await tab.evaluate(`document.getElementById('search-open').click()`)
  await tab.send('Input.insertText', { text: query })
  await tab.until(`document.querySelector('#search-hits a')`)
}

async function check(from: Browser, url: string, { base, resources }: Reference): Promise<void> {
  const tab = await from.tab()
  const requested: string[] = []
  tab.on('Network.requestWillBeSent', ({ request }) => requested.push(request.url))
  tab.on(
    'Log.entryAdded',
    ({ entry }) => entry.level === 'error' && failures.push(`In the browser's log: ${entry.text} ${entry.url ?? ''}`),
  )
  tab.on('Runtime.exceptionThrown', ({ exceptionDetails }) => failures.push(`Uncaught: ${exceptionDetails.exception?.description}`))
  const expectTrue = async (what: string, expression: string) => {
    const holds = await tab.until(expression).then(
      () => true,
      () => false,
    )
    if (!holds) failures.push(what)
    console.log(`${holds ? 'ok     ' : 'FAILED '} ${what}`)
  }
  console.log()

  await tab.open(`${url}/docs/`)
  await searchFor(tab, 'create contact')
  await tab.evaluate(`document.querySelector('#search-hits a').click()`)
  await expectTrue(
    'the first hit of a search leads to its operation',
    `location.hash === '#createContact' && location.pathname === '/docs/contacts'`,
  )
  await expectTrue('an operation is scrolled to', `Math.abs(document.getElementById('createContact').getBoundingClientRect().top) < 200`)

  await openOperation(tab, `${url}/docs/contacts`, 'createContact')
  await tab.evaluate(`document.querySelector('[data-try="createContact"]').click()`)
  await tab.until(`document.querySelector('dialog.try textarea')`)
  await tab.evaluate(`(() => {
    const key = document.querySelector('dialog .key input')
    key.value = ${JSON.stringify(key)}
    key.dispatchEvent(new Event('input'))
    document.querySelector('dialog textarea').value = '{"first_name": "Tried"}'
    document.querySelector('dialog button[type=submit]').click()
  })()`)
  await expectTrue('"Try it" creates a contact', `document.querySelector('dialog .outcome')?.textContent.startsWith('201')`)
  await expectTrue('"Try it" shows the response', `document.querySelector('[data-result]').textContent.includes('"first_name": "Tried"')`)
  await expectTrue('the key is kept for this tab only', `sessionStorage.getItem('docs.key') && !localStorage.getItem('docs.key')`)
  await tab.evaluate(`document.querySelector('dialog').close()`)

  await tab.evaluate(`document.querySelector('.tabs [data-language=ts]').click()`)
  await expectTrue('the TypeScript sample is shown', `document.querySelector('#createContact pre.ts').offsetParent !== null`)
  await tab.evaluate(`document.getElementById('theme').click()`)
  await expectTrue('the theme is dark', `getComputedStyle(document.body).backgroundColor === 'rgb(17, 21, 28)'`)

  for (const { slug, operations } of resources.slice(0, 30)) {
    await tab.open(`${url}/docs/${slug}`)
    const missing = await tab.evaluate<string[]>(
      `${JSON.stringify(operations.map(({ id }) => id))}.filter((id) => !document.getElementById(id))`,
    )
    if (missing.length > 0) failures.push(`${slug} lacks ${missing.join(', ')}`)
  }
  const phone = await from.tab({ width: 390, height: 844, mobile: true })
  for (const page of ['', largest.slug, 'errors']) {
    await phone.open(`${url}/docs/${page}`)
    const overflow = await phone.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    if (overflow > 0) failures.push(`/docs/${page} is ${overflow} pixels too wide for a phone`)
  }
  const outside = requested.filter((one) => !one.startsWith(`${url}/docs/`) && !one.startsWith(`${url}${base}/`))
  if (outside.length > 0) failures.push(`Requests to elsewhere: ${outside.join(', ')}`)
  console.log(`${outside.length === 0 ? 'ok     ' : 'FAILED '} none of ${requested.length} requests went elsewhere`)
}
