import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Harness } from '../../harness.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { created, found, type Row, useCrm } from '../crm.ts'
import { zip } from '../workbooks.ts'
import { ingestFile, pdfOf } from './files.ts'

const crm = useCrm({ own: true })
let app: Harness
beforeAll(() => {
  app = crm.app
})
beforeEach(() => {
  app.site.clear()
  app.embeddings.clear()
})

const baseOf = async (ws: TestWorkspace, fields = {}) => created(await ws.post('/knowledge-bases', { name: 'Help', ...fields }))
const send = (ws: TestWorkspace, base: Row, name: string, content: string | Uint8Array) =>
  ingestFile(app, ws, base.id as string, name, content)
const ask = async (ws: TestWorkspace, query: string) => found(await ws.post('/knowledge-bases/query', { query })) as never as Row[]
async function drain() {
  await app.cron('* * * * *')
  await app.drain()
}

const zipOf = (files: Record<string, string>) => zip(Object.entries(files).map(([name, content]) => ({ name, content })))
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const paragraph = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`
const docxOf = (body: string) =>
  zipOf({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ' +
      'ContentType="application/xml"/></Types>',
    '_rels/.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" ' +
      'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" ' +
      'Target="word/document.xml"/></Relationships>',
    'word/document.xml': `<w:document ${W}><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `<w:styles ${W}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
  })

test('texts, tables, pages, documents and PDFs become entries that are found with their places', async () => {
  const ws = await app.workspace()
  const base = await baseOf(ws)
  const pdf = created(await send(ws, base, 'manual.pdf', pdfOf('The pump is cleaned monthly.', 'The seal AX-9932 is greased yearly.')))
  expect(pdf).toMatchObject({ status: 'ready', source: 'file', title: 'manual.pdf', error: null })
  expect((await ask(ws, 'AX-9932'))[0]).toMatchObject({ entry_id: pdf.id, heading_path: ['Page 2'] })
  const docx = created(
    await send(ws, base, 'terms.docx', docxOf(paragraph('Warranty', 'Heading1') + paragraph('Brushes last six months.'))),
  )
  expect((await ask(ws, 'brushes'))[0]).toMatchObject({ entry_id: docx.id, heading_path: ['Warranty'], quote: 'Brushes last six months.' })
  const csv = created(await send(ws, base, 'prices.csv', 'Part;Price\nHose;12\nNozzle;"3;50"\n'))
  expect(csv.text).toBe('| Part | Price |\n| --- | --- |\n| Hose | 12 |\n| Nozzle | 3;50 |')
  const markdown = created(await send(ws, base, 'notes.md', '# Opening hours\n\nMondays are closed.'))
  expect(markdown).toMatchObject({ title: 'Opening hours', chunk_count: 1 })
  expect(created(await send(ws, base, 'a.html', '<title>Parking</title><p>Behind the house.')).title).toBe('Parking')
})

test('files that are too large, bombs, scans, broken and unknown ones are refused, and leave nothing', async () => {
  const ws = await app.workspace()
  const base = await baseOf(ws)
  expect((await send(ws, base, 'a.pdf', `%PDF-1.4\n${'x'.repeat(11 * 1024 ** 2)}`)).status).toBe(413)
  const bomb = Buffer.alloc(40_000_000)
  for (const size of [bomb.length, 500]) {
    const archive = zip([{ name: 'word/document.xml', content: bomb, size }])
    expect(await send(ws, base, 'a.docx', archive), String(size)).toMatchObject({ status: 400 })
  }
  expect(await send(ws, base, 'a.pdf', pdfOf(''))).toMatchObject({ status: 400 })
  const broken = await send(ws, base, 'a.pdf', '%PDF-1.4\nnonsense')
  expect(broken).toMatchObject({ status: 400, body: { error: { details: { issues: [{ path: 'file' }] } } } })
  expect((await send(ws, base, 'a.zip', zipOf({ 'a.txt': 'x' }))).status).toBe(415)
  expect((await send(ws, base, 'a.exe', 'MZ\0\0')).status).toBe(415)
  expect(found(await ws.get(`/knowledge-bases/${base.id}`)).entry_count).toBe(0)
})

const utf16 = (text: string) => new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le'))
test.each<[name: string, content: string | Uint8Array, found: { title?: string; text: string } | 400 | 415]>([
  ['notes.txt', utf16('Grüße aus 東京'), { title: 'notes.txt', text: 'Grüße aus 東京' }],
  ['table.csv', utf16('Part\tPrice\nPump\t5'), { text: '| Part | Price |\n| --- | --- |\n| Pump | 5 |' }],
  ['notes.txt', new Uint8Array(Buffer.from('M\xfcller', 'latin1')), { text: 'Müller' }],
  ['notes.txt', new Uint8Array(Buffer.from('\uFEFFMüller')), { text: 'Müller' }],
  ['notes', ' # no title\n# A title\ntext ', { title: 'A title', text: '# no title\n# A title\ntext' }],
  ['page.HTM', '<p>Text</p>', { title: 'page.HTM', text: 'Text' }],
  ['notes.md', 'x'.repeat(200_000), { text: 'x'.repeat(200_000) }],
  ['notes.md', 'x'.repeat(200_001), 400],
  ['notes.md', ' \n ', 400],
  ['table.csv', '', 400],
  ['notes.txt', 'MZ\0\0text', 415],
  ['notes.rtf', '{\\rtf1 text}', 415],
  ['manual.txt', pdfOf('A PDF by another name'), { text: '## Page 1\n\nA PDF by another name' }],
  ['manual.pdf', pdfOf(...Array<string>(501).fill('x')), 400],
  ['parts.csv', 'a|b,c\n1\n\n2,3', { text: '| a b | c |\n| --- | --- |\n| 1 |\n| 2 | 3 |' }],
])('the file %s has a text, or is refused', async (name, content, found) => {
  const ws = await app.workspace()
  const answer = await send(ws, await baseOf(ws), name, content)
  if (typeof found === 'number') expect(answer.status).toBe(found)
  else expect(created(answer)).toMatchObject(found)
})

const articles = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: 360_000_000_000 + at, title: `Article ${at}`, body: `<p>Solution number ${at}.</p>` }))
const sync = (ws: TestWorkspace, base: Row, body = {}) => ws.post(`/knowledge-bases/${base.id}/sync-help-center`, body)

test('a help centre is compared as a whole: only what has changed is embedded, and what is gone is found no more', async () => {
  const ws = await app.workspace()
  const base = await baseOf(ws, { help_center_url: app.site.helpCenterUrl })
  app.site.articles.push(...articles(120), { id: 7, title: 'Draft', body: 'x', draft: true })
  expect(found(await sync(ws, base))).toMatchObject({ added: 120, updated: 0, unchanged: 0, removed: 0 })
  await drain()
  const [hit] = await ask(ws, 'Solution number 119')
  expect(hit).toMatchObject({ source: 'help_center', title: 'Article 119', url: `${app.site.helpCenterUrl}/articles/360000000119` })

  app.embeddings.clear()
  expect(found(await sync(ws, base))).toMatchObject({ added: 0, updated: 0, unchanged: 120, removed: 0 })
  app.site.articles.splice(0, 1)
  app.site.articles[0]!.body = '<p>The gate code is new.</p>'
  expect(found(await sync(ws, base))).toMatchObject({ added: 0, updated: 1, unchanged: 118, removed: 1 })
  await drain()
  expect(app.embeddings.calls.flat()).toEqual(['Article 1\nThe gate code is new.'])
  expect((await ask(ws, 'gate code'))[0]!.title).toBe('Article 1')
  expect((await ask(ws, 'Solution number 0')).map(({ title }) => title)).not.toContain('Article 0')
  expect(found(await ws.get(`/knowledge-bases/${base.id}`)).last_syncs.help_center).toMatchObject({ updated: 1, removed: 1 })
})

test('chosen articles leave the others alone, and a help centre that fails changes nothing', async () => {
  const ws = await app.workspace()
  const base = await baseOf(ws, { help_center_url: app.site.helpCenterUrl })
  app.site.articles.push(...articles(3))
  found(await sync(ws, base))
  app.site.articles.splice(1, 2)
  expect(found(await sync(ws, base, { article_ids: [360_000_000_001, 360_000_000_000] }))).toMatchObject({ unchanged: 1, removed: 1 })
  expect(found(await ws.get(`/knowledge-bases/${base.id}`)).entry_count).toBe(2)
  for (const mode of [503, 'drop', 404] as const) {
    app.site.fail(mode)
    expect((await sync(ws, base)).body.error.code, String(mode)).toBe('PROVIDER_ERROR')
  }
  expect(found(await ws.get(`/knowledge-bases/${base.id}`)).entry_count).toBe(2)
  expect((await sync(ws, base, { article_ids: ['7'] })).body.error.details.issues[0].path).toBe('article_ids.0')
  expect((await sync(ws, await baseOf(ws))).body.error.message).toContain('help_center_url')
  expect((await ws.post('/knowledge-bases', { name: 'x', help_center_url: 'http://10.0.0.1/hc/en' })).status).toBe(400)
})

test('an article on two pages of a help centre is one entry, and pages without an end change nothing', async () => {
  const ws = await app.workspace()
  const base = await baseOf(ws, { help_center_url: app.site.helpCenterUrl })
  const [first, ...others] = articles(100)
  app.site.articles.push(first!, ...others, first!)
  expect(found(await sync(ws, base))).toMatchObject({ added: 100, unchanged: 0 })
  app.site.articles.splice(0, 1)
  app.site.isEndless = true
  expect((await sync(ws, base)).body.error).toMatchObject({ code: 'PROVIDER_ERROR', message: expect.stringContaining('without an end') })
  expect(found(await ws.get(`/knowledge-bases/${base.id}`)).entry_count).toBe(100)
})

test('active products are entries; inactive ones are not, and prices follow', async () => {
  const ws = await app.workspace()
  const base = await baseOf(ws)
  const pump = created(
    await ws.post('/products', { name: 'Pump', sku: 'P-77', price: 120, currency: 'AUD', description: 'Lifts ten metres.' }),
  )
  created(await ws.post('/products', { name: 'Old pump', is_active: false }))
  const again = async () => found(await ws.post(`/knowledge-bases/${base.id}/sync-products`))
  expect(await again()).toMatchObject({ added: 1, removed: 0 })
  await drain()
  expect((await ask(ws, 'P-77'))[0]).toMatchObject({ source: 'product', title: 'Pump' })
  expect(await again()).toMatchObject({ added: 0, unchanged: 1 })
  found(await ws.patch(`/products/${pump.id}`, { price: 140 }))
  expect(await again()).toMatchObject({ updated: 1 })
  await drain()
  expect((await ask(ws, 'P-77'))[0]!.quote).toContain('140.00 AUD')
  found(await ws.patch(`/products/${pump.id}`, { is_active: false }))
  expect(await again()).toMatchObject({ removed: 1, unchanged: 0 })
  expect(await ask(ws, 'P-77')).toEqual([])
})
