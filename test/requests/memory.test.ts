import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { MemoryMeter } from '../memory.ts'
import { proving } from '../proof.ts'
import { workbook } from '../routes/workbooks.ts'
import type { TestWorkspace } from '../workspace.ts'

/**
 * An isolate has 128 MB for all of its requests; this leaves half of it to others. The runtime of these tests dies when its heap needs
 * more.
 */
const TARGET = 64e6
const HEAP_LIMIT = 64
const EXPORT_GROWTH = 24e6
const MB = 1024 * 1024
/** Collecting garbage all the time makes everything slow. */
const TIMEOUT = proving ? 1_800_000 : 120_000

let app: Harness
let ws: TestWorkspace
let memory: MemoryMeter
let idle: number

const hog = (of: Harness, kind: 'heap' | 'buffers', megabytes: number) =>
  of.fetch(`/__test/hog?kind=${kind}&megabytes=${megabytes}&turns=30`)

beforeAll(async () => {
  app = await start({ inspected: true, heapLimit: HEAP_LIMIT })
  ws = await app.workspace()
  memory = await app.memory()
  // What the first requests load and compile stays, and is no request's own.
  await ws.get('/contacts/export')
  idle = await memory.peak(() => hog(app, 'heap', 0))
})
afterAll(async () => {
  memory?.close()
  await app?.close()
})

/** What the isolate holds at most during the work, and during the same work twice at once. */
async function peaks(what: string, work: () => Promise<unknown>): Promise<{ alone: number; two: number }> {
  const alone = await memory.peak(work)
  const two = await memory.peak(() => Promise.all([work(), work()]))
  if (proving)
    console.log(`${what}: ${[idle, alone, two].map((bytes) => (bytes / 1e6).toFixed(1)).join(' → ')} MB (idle, alone, two at once)`)
  return { alone, two }
}

async function staysBelowTarget(what: string, work: () => Promise<unknown>): Promise<void> {
  const peak = async () => {
    // The same work twice at once holds no less than alone.
    if (!proving) return memory.peak(() => Promise.all([work(), work()]))
    const { alone, two } = await peaks(what, work)
    return Math.max(alone, two)
  }
  const first = await peak()
  // What an earlier test left behind may be collected only now. The work's own peak is the same the second time.
  expect(first < TARGET ? first : await peak()).toBeLessThan(TARGET)
}

const send = async (path: string, type: string, body: string | Uint8Array) => {
  const headers = { authorization: `Bearer ${ws.apiKey}`, 'content-type': type }
  const response = await app.fetch(`/v1${path}`, { method: 'POST', headers, body })
  return { status: response.status, body: (await response.json()) as { data: { id: string } } }
}
const upload = (text: string) => send('/imports', 'text/csv', text)

async function form(file: File): Promise<{ type: string; body: Uint8Array }> {
  const fields = new FormData()
  fields.append('file', file)
  const request = new Request('http://form.test', { method: 'POST', body: fields })
  return { type: request.headers.get('content-type') as string, body: new Uint8Array(await request.arrayBuffer()) }
}

async function drained(): Promise<void> {
  // A long import takes longer than the harness waits at once.
  for (let waits = 0; waits < 50; waits++) if ((await app.drain().catch((error: unknown) => error)) === undefined) return
}

describe('the measurement', { timeout: TIMEOUT }, () => {
  test.each(['heap', 'buffers'] as const)('notices %s that a request holds', async (kind) => {
    const peak = await memory.peak(() => hog(app, kind, 30))
    expect(peak - idle).toBeGreaterThan(29e6)
    expect(peak - idle).toBeLessThan(36e6)
  })

  test('ends a runtime whose heap needs more than the target', async () => {
    const other = await start({ heapLimit: HEAP_LIMIT })
    try {
      expect((await hog(other, 'heap', 30)).status).toBe(200)
      await expect(hog(other, 'heap', 70)).rejects.toThrow()
    } finally {
      await other.close()
    }
  })
})

describe('the memory of the Worker', { timeout: TIMEOUT }, () => {
  test.each(['csv', 'jsonl'])('grows by less than 24 MB while an export of long notes is sent as %s', async (format) => {
    const other = await app.workspace()
    await app.owner.query(
      "insert into contacts (workspace_id, first_name, notes) select $1, 'P' || n, repeat(md5(n::text), 600) from generate_series(1, $2) n",
      [other.id, proving ? 5_000 : 500],
    )
    const { alone, two } = await peaks(`export as ${format}`, async () => {
      const response = await app.fetch(`/v1/contacts/export?format=${format}`, { headers: { authorization: `Bearer ${other.apiKey}` } })
      let size = 0
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) size += piece.length
      expect(size).toBeGreaterThan(9e6)
    })
    expect(alone - idle).toBeLessThan(EXPORT_GROWTH)
    expect(two).toBeLessThan(TARGET)
  })

  test('grows by less than 24 MB while a workbook with long notes is sent', async () => {
    const other = await app.workspace()
    await app.owner.query(
      "insert into contacts (workspace_id, first_name, notes) select $1, 'P' || n, repeat(md5(n::text), 600) from generate_series(1, $2) n",
      [other.id, proving ? 5_000 : 500],
    )
    const columns = ['first_name', 'notes', 'created_at', 'company.name', 'opportunities.count'].map((path) => ({ path }))
    const { body } = await other.post('/exports/templates', { name: 'Notes', root_entity: 'contacts', columns })
    const { alone, two } = await peaks('workbook of a template', async () => {
      const headers = { authorization: `Bearer ${other.apiKey}`, 'content-type': 'application/json' }
      const response = await app.fetch(`/v1/exports/templates/${body.data.id}/run`, { method: 'POST', headers, body: '{}' })
      expect(response.status).toBe(200)
      let size = 0
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) size += piece.length
      expect(size).toBeGreaterThan(40_000)
    })
    expect(alone - idle).toBeLessThan(EXPORT_GROWTH)
    expect(two).toBeLessThan(TARGET)
  })

  test('stays below the target while a form with a file of 25 MB is uploaded', async () => {
    const { data } = (await ws.post('/opportunities', { name: 'Deal' })).body
    const file = Buffer.alloc(25 * MB, 'x')
    file.write('%PDF-1.7')
    const { type, body } = await form(new File([file], 'a.pdf'))
    await staysBelowTarget('upload of 25 MB', async () =>
      expect((await send(`/opportunities/${data.id}/attachments`, type, body)).status).toBe(201),
    )
  })

  test.each([
    ['249,000 lines of one letter', `First Name\n${'A\n'.repeat(249_000)}`, 201],
    ['more lines than there may be', 'x\n'.repeat(600_000), 400],
    ['a single line of millions of cells', 'a,'.repeat(proving ? 12_500_000 : 3_000_000), 400],
    ['a quotation mark that is never closed', `"${'x'.repeat(proving ? 25_000_000 : 9_000_000)}`, 201],
  ])('stays below the target while a file is read that has %s', async (what, text, status) => {
    await staysBelowTarget(what, async () => expect((await upload(text)).status).toBe(status))
  })

  test('stays below the target while a workbook is converted whose texts are all different', async () => {
    const count = proving ? 249_000 : 30_000
    const people = Array.from({ length: count }, (_, n) => [`P${n}`, `person.${n}@example.com`, `Street ${n}`])
    const strings = ['First Name', 'Email', 'Street', ...people.flat()].map((text) => `<t>${text}</t>`)
    const rows = Array.from(
      { length: count + 1 },
      (_, n) => `<row>${[0, 1, 2].map((at) => `<c t="s"><v>${n * 3 + at}</v></c>`).join('')}</row>`,
    )
    const file = workbook({ sheets: [{ name: 'S', xml: `<sheetData>${rows.join('')}</sheetData>` }], strings })
    await staysBelowTarget(`workbook of ${count} rows`, async () =>
      expect((await send('/imports', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', file)).status).toBe(201),
    )
  })

  test('stays below the target while files with long cells are checked and imported', async () => {
    const [lines, size] = [proving ? 1_250 : 60, 19_900]
    const text = `First Name,Notes\n${`P,${'n'.repeat(size)}\n`.repeat(lines)}`
    for (const action of ['check', 'start'])
      await staysBelowTarget(`${action} of ${lines} lines of ${size} characters`, async () => {
        const { id } = (await upload(text)).body.data
        expect((await ws.post(`/imports/${id}/${action}`, {})).status).toBe(200)
        await drained()
        expect((await ws.get(`/imports/${id}`)).body.data.progress).toMatchObject({ done: lines, created: lines })
      })
  })

  test.each([
    ['good', Array.from({ length: 100 }, (_, n) => ({ first_name: `P${n}`, notes: 'n'.repeat(9_000) })), 200],
    ['bad', Array.from({ length: 100 }, () => ({ first_name: 'P', alternate_emails: Array(450).fill(1) })), undefined],
  ] as const)('stays below the target while 100 %s records of a megabyte are sent at once', async (what, records, status) => {
    await staysBelowTarget(`bulk calls, ${what} records`, async () => {
      for (let call = 0; call < 3; call++) {
        const response = await ws.post('/contacts/bulk-create', { records })
        if (status) expect(response.status).toBe(status)
        else expect(response.status).toBeLessThan(500)
      }
    })
  })
})
