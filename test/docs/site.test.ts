import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { safeParse } from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Entry, search } from '../../dev/docs/client/match.ts'
import { readDocument } from '../../dev/docs/document.ts'
import { readGuides } from '../../dev/docs/guides.ts'
import { renderSite } from '../../dev/docs/pages.ts'
import { callOf, curlOf, fetchOf } from '../../dev/docs/samples.ts'
import { documents } from '../../dev/openapi.ts'
import { root } from '../../dev/settings.ts'
import { allEndpoints } from '../../routes/index.ts'
import { EVENT_TYPES } from '../../src/domain/events.ts'
import { type Harness, ORIGIN, start } from '../harness.ts'
import { runGuide } from './guide-runner.ts'
import { QUERIES } from './search-queries.ts'

const reference = readDocument(readFileSync(join(root, 'openapi.json'), 'utf8'))
const files = renderSite(reference, readGuides(join(root, 'guides')))
const operations = reference.resources.flatMap((resource) =>
  resource.operations.map((operation) => ({ ...operation, slug: resource.slug })),
)
const pages = [...files].filter(([name]) => name.endsWith('.html'))

describe('the generated pages', () => {
  test('have every operation, with a line and content of its own', () => {
    const { paths } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as { paths: Record<string, object> }
    expect(operations).toHaveLength(Object.values(paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0))
    for (const { slug, id, path, scopes, parameters, errors } of operations) {
      expect(files.get(`${slug}.html`), id).toContain(`id="${id}"`)
      const { html, call } = JSON.parse(files.get(`${slug}/${id}.json`) as string)
      expect(call.path).toBe(path)
      for (const scope of scopes) expect(html, id).toContain(`<code>${scope}</code>`)
      for (const { name } of parameters) expect(html, id).toContain(`<code class="name">${name}</code>`)
      for (const code of errors.flatMap(({ codes }) => codes)) expect(html, id).toContain(`/docs/errors#${code}`)
      expect(files.get(`full/${slug}.html`), id).toContain(html)
    }
  })

  test('show the fields of a request and of its response', () => {
    const { html } = JSON.parse(files.get('contacts/createContact.json') as string)
    expect(html).toMatch(/<code class="name">first_name<\/code> <span class="type">string<\/span> <b class="required">required<\/b>/)
    expect(html).toContain('data-object="ContactDetails"')
    expect(JSON.parse(files.get('objects/ContactRecord.json') as string).html).toContain('<code class="name">email_unsubscribed</code>')
    expect(html).toContain('<code>form_submission</code>')
  })

  test('link only to what exists', () => {
    const ids = new Map(pages.map(([name, text]) => [name, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]))
    const broken = pages.flatMap(([name, text]) =>
      [...text.matchAll(/<a [^>]*href="([^"]+)"/g)]
        .map(([, href]) => href as string)
        .filter((href) => {
          const [path, anchor] = href.split('#') as [string, string?]
          if (path === '/v1/openapi.json') return false
          const file = path === '' ? name : path === '/docs/' ? 'index.html' : `${path.slice('/docs/'.length)}.html`
          return !ids.has(file) || (anchor !== undefined && anchor !== 'content' && !ids.get(file)!.has(anchor))
        })
        .map((href) => `${name}: ${href}`),
    )
    expect(broken).toEqual([])
  })

  test('load nothing from elsewhere, and have no code or style of their own', () => {
    for (const [name, text] of pages) {
      const loaded = [...text.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]+)"/g)].map(([, path]) => path as string)
      expect(loaded.length, name).toBeGreaterThan(0)
      for (const path of loaded) expect(path, name).toMatch(/^\/docs\//)
      expect(text, name).not.toMatch(/<script>|<style| style="| on\w+="/)
    }
    for (const asset of ['docs.css', 'icon.svg']) {
      const text = readFileSync(join(root, 'dev/docs/client', asset), 'utf8').replace('http://www.w3.org/2000/svg', '')
      expect(text).not.toMatch(/https?:|@import/)
    }
  })

  test('escape what the document says', () => {
    const document = { ...reference, resources: reference.resources.slice(0, 1), description: '<img src=x onerror=alert(1)> [x](<script>)' }
    expect(renderSite(document, []).get('index.html')).not.toMatch(/<img|<script>/)
  })
})

describe('the search', () => {
  const entries = JSON.parse(files.get('search.json') as string) as Entry[]
  const found = (query: string) => search(entries, query).map(([, url]) => url)

  test('finds every operation by its id', () => {
    const lost = operations.filter(({ slug, id }) => found(id)[0] !== `/docs/${slug}#${id}`)
    expect(lost.map(({ id }) => id)).toEqual([])
  })

  test.each([
    ['create contact', '/docs/contacts#createContact'],
    ['merge companies', '/docs/companies#mergeCompanies'],
    ['revoke key', '/docs/api-keys#revokeApiKey'],
    ['RATE_LIMITED', '/docs/errors#RATE_LIMITED'],
    ['relationship_started_at', '/docs/contacts#createContact'],
    ['lost updates', '/docs/guides/idempotency#avoid-lost-updates'],
  ])('finds "%s"', (query, url) => {
    expect(found(query)).toContain(url)
  })

  test('puts deprecated paths last, and finds nothing for nonsense', () => {
    const hits = found('create opportunity')
    expect(hits.indexOf('/docs/opportunities#createOpportunity')).toBe(0)
    expect(found('xyzzyx qwrtzk')).toEqual([])
  })

  test('finds what a newcomer looks for, in the words of a newcomer', () => {
    const isWanted = (url: string, wanted: string[]) => wanted.some((one) => url.endsWith(`#${one}`) || url.endsWith(`/docs/${one}`))
    const addresses = new Set(entries.map(([, url]) => url))
    const results = QUERIES.map(([query, ...wanted]) => ({ query, wanted, urls: found(query) }))
    expect(results.length).toBeGreaterThanOrEqual(100)
    // Every expectation is of something that exists.
    const unknown = results.flatMap(({ query, wanted }) =>
      wanted.some((one) => [...addresses].some((url) => isWanted(url, [one]))) ? [] : [query],
    )
    expect(unknown).toEqual([])
    expect(results.filter(({ urls }) => urls.length === 0)).toEqual([])
    const missed = results.filter(({ urls, wanted }) => !urls.slice(0, 3).some((url) => isWanted(url, wanted))).map(({ query }) => query)
    expect(missed.length / results.length, `not among the first three: ${missed.join(', ')}`).toBeLessThanOrEqual(0.1)
  })

  test('shows the best that have most of the words when no entry has every one', () => {
    expect(found('xyzzyx create contact')[0]).toBe('/docs/contacts#createContact')
  })
})

describe('the samples', () => {
  test('are valid shell and TypeScript, for every operation', () => {
    const calls = operations.map(callOf)
    execFileSync('bash', ['-n'], { input: calls.map(curlOf).join('\n') })
    for (const call of calls) transformSync(`async function sample(BASE, KEY, file) {\n${fetchOf(call)}\n}`, { loader: 'ts' })
  })

  test('of "Try it" have few fields, and are accepted', async () => {
    const endpoints = new Map((await allEndpoints()).map((endpoint) => [endpoint.id, endpoint]))
    const long: string[] = []
    const refused: string[] = []
    for (const { slug, id } of operations) {
      const { call } = JSON.parse(files.get(`${slug}/${id}.json`) as string)
      const schema = endpoints.get(id)?.body
      if (!schema || call.body === null) continue
      const body = JSON.parse(call.body)
      const whole = callOf(operations.find((one) => one.id === id)!).json
      if (safeParse(schema, whole).success && !safeParse(schema, body).success) refused.push(id)
      if (!Array.isArray(body) && Object.keys(body).length > 6) long.push(id)
    }
    expect({ long, refused }).toEqual({ long: [], refused: [] })
    expect(JSON.parse(JSON.parse(files.get('contacts/createContact.json') as string).call.body)).toEqual({
      first_name: expect.any(String),
      last_name: expect.any(String),
      email: expect.any(String),
    })
  })

  test('begin the home page: one call and its result', () => {
    const [call, result] = [...(files.get('index.html') as string).matchAll(/<figure class="code">[\s\S]*?<\/figure>/g)].map(([one]) => one)
    expect(call).toContain('/me')
    expect(call).toContain('Authorization: Bearer')
    expect(result).toContain('workspace')
  })

  let app: Harness
  beforeAll(async () => {
    app = await start({ docs: true })
  })
  afterAll(() => app.close())

  test('do what they show', async () => {
    const { apiKey } = await app.workspace()
    const sample = (id: string) => callOf(operations.find((operation) => operation.id === id)!)
    const text = [
      ['sh', `${curlOf(sample('createContact'))}\n# → 201, data.first_name = "Ana"`],
      ['sh', `${curlOf(sample('searchContacts'))}\n# → 200`],
      ['sh', `${curlOf(sample('listContacts'))}\n# → 200, data.length = 1`],
      ['ts', `${fetchOf(sample('createCompany'))}\nif (!data.id) throw new Error('No company')`],
      ['ts', `${fetchOf(sample('listCompanies'))}\nif (data.length !== 1) throw new Error('Not one company')`],
    ]
    const guide = text.map(([language, code]) => `\`\`\`${language}\n${code}\n\`\`\``).join('\n\n')
    await runGuide(guide, { BASE: new URL('/v1', await app.url()).href, KEY: apiKey })
  })

  test('stand on pages that the Worker serves, under a strict policy', async () => {
    for (const path of [
      '/docs/',
      '/docs/contacts',
      '/docs/full/contacts',
      '/docs/guides/quickstart',
      '/docs/errors',
      '/docs/docs.js',
      '/docs/docs.css',
      '/docs/theme.js',
      '/docs/search.json',
      '/docs/contacts/createContact.json',
    ]) {
      const response = await app.fetch(path)
      expect(response.status, path).toBe(200)
      expect(response.headers.get('content-security-policy'), path).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/)
    }
  })

  test('the served document names the address that serves it, has the events of webhooks, and no indentation', async () => {
    for (const name of ['openapi.json', 'openapi.legacy.json'] as const) {
      const response = await app.fetch(`/v1/${name}`)
      expect(response.status).toBe(200)
      const text = await response.text()
      expect(text).not.toContain('\n')
      const { servers, webhooks = {}, ...rest } = JSON.parse(text)
      expect(servers).toMatchObject([{ url: `${ORIGIN}/v1` }])
      const stored = JSON.parse(documents[name]!())
      expect({ ...rest, webhooks }).toEqual({ ...stored, servers: undefined, webhooks: stored.webhooks ?? {} })
      expect(Object.keys(webhooks)).toEqual(name === 'openapi.json' ? [...EVENT_TYPES] : [])
    }
  })

  test.each(['/', '/v1', '/v1/'])('are pointed to by %s', async (path) => {
    const response = await app.fetch(path)
    expect(response.status).toBe(200)
    const { data } = (await response.json()) as { data: Record<string, string> }
    for (const url of [data.docs_url, data.quickstart_url, data.openapi_url]) expect((await app.fetch(url as string)).status, url).toBe(200)
    const page = await app.fetch(path, { headers: { accept: 'text/html,*/*' }, redirect: 'manual' })
    expect([page.status, page.headers.get('location')]).toEqual([302, '/docs/'])
  })
})
