import { describe, expect, test } from 'vitest'
import { IMPORT_LIMITS } from '../../src/features/imports/rules/limits.ts'
import { created, failed, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { upload } = useImports(crm)

const objects = async () => (await (await crm.app.files()).list({ prefix: `imports/${crm.ws.id}` })).objects

/** Imports that are there already, in numbers; what they are of does not matter. */
async function fill(count: number, { state = 'ready', size = 1, failed_lines = 0 } = {}) {
  await crm.app.owner.query(
    `with made as (insert into imports (workspace_id, state, object, file_name, size, sha256, mapping, date_format)
        select $1, $2, 'contacts', 'old.csv', $3, '', '[]', 'dmy' from generate_series(1, $4) returning id)
      insert into import_files (workspace_id, import_id, encoding, delimiter, has_header, columns, suggestions, preview, total, first_byte,
        first_line, next_byte, next_line, failed, stored_size)
        select $1, id, 'utf-8', ',', true, '[]', '{}', '[]', 0, 0, 1, 0, 1, $5, $3 from made`,
    [crm.ws.id, state, size, count, failed_lines],
  )
}

describe('a file', () => {
  test('of 250,000 lines is taken; one of more is refused, and nothing of it stays', async () => {
    const lines = `Ana\n${'\n'.repeat(3)}`
    expect(created(await upload(`First Name\n${lines.repeat(250_000)}`)).progress.total).toBe(250_000)
    const stored = (await objects()).length
    expect(await upload(`First Name\n${lines.repeat(250_001)}`)).toMatchObject(refused('file'))
    expect(await upload('x\n'.repeat(600_000))).toMatchObject(refused('file'))
    expect((await objects()).length).toBe(stored)
  })

  test('of nothing but empty lines has none', async () => {
    expect(created(await upload('\n'.repeat(5_000_000))).progress.total).toBe(0)
  })

  test('larger than a part is stored whole, by itself and in a form', async () => {
    const text = `First Name,Notes\n${`Ana,${'ü'.repeat(2_000)}\n`.repeat(1_800)}`
    const bytes = new TextEncoder().encode(text)
    expect(bytes.length).toBeGreaterThan(7_000_000)
    const { id, size, progress } = created(await upload(bytes))
    expect([size, progress.total]).toEqual([bytes.length, 1_800])
    const object = await (await crm.app.files()).get(`imports/${crm.ws.id}/${id}`)
    expect(Buffer.from((await object?.arrayBuffer()) as ArrayBuffer).equals(Buffer.from(bytes))).toBe(true)
  })
})

describe('a form', () => {
  const headersOf = () => ({ authorization: `Bearer ${crm.ws.apiKey}`, 'content-type': 'multipart/form-data; boundary=b' })
  const send = (body: string) => crm.app.fetch('/v1/imports', { method: 'POST', headers: headersOf(), body })
  const field = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n`

  test('of hundreds of thousands of fields is refused after the first few', async () => {
    // The response comes before the rest is sent: a client that goes on sending could find the connection closed instead.
    const declares = field('a').length * 350_000
    const { status, text } = await crm.app.client('/v1/imports', {
      method: 'POST',
      headers: headersOf(),
      body: field('a').repeat(1_000),
      declares,
    })
    expect([status, JSON.parse(text).error.details.issues]).toEqual([
      400,
      [{ path: '', message: expect.stringContaining('more than 20 fields') }],
    ])
  })

  test.each([
    ['whose headers never end', `--b\r\nContent-Disposition: form-data; name="file"; x="${'x'.repeat(100_000)}`],
    ['without an end', '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nFirst Name\nAna\n'],
    ['without a name', '--b\r\nContent-Type: text/csv\r\n\r\nx\r\n--b--\r\n'],
  ])('%s is none', async (_, body) => {
    expect((await send(body)).status).toBe(400)
    expect(await objects()).toEqual([])
  })

  test('may have text in front of its first boundary, and a file that looks like one', async () => {
    const file = 'First Name,Notes\r\nAna,--b\r\nBo,"\r\n--"\r\n-\r\n'
    const response = await send(
      'preamble\r\n--b \r\ncontent-disposition: form-data; filename="a %22b%22.csv"; name="file"\r\nContent-Type: ' +
        `text/csv\r\n\r\n${file}\r\n--b--\r\nepilogue`,
    )
    expect(((await response.json()) as { data: unknown }).data).toMatchObject({ file_name: 'a _b_.csv', size: file.length })
  })
})

describe('a workspace', () => {
  test.each([
    ['unfinished imports', IMPORT_LIMITS.unfinished, {}],
    ['imports', IMPORT_LIMITS.imports, { state: 'finished' }],
    ['bytes of files', 1, { size: IMPORT_LIMITS.bytes }],
    ['failed lines', 1, { state: 'finished', failed_lines: IMPORT_LIMITS.failed_lines }],
  ])('has a limit of %s, which another workspace does not share', async (_, count, kind) => {
    const { id } = created(await upload('First Name\nAna\n'))
    // Up to the limit there can be another.
    await fill(Math.max(0, count - 2), kind)
    if (count > 1) created(await upload('First Name\nAna\n'))
    else await fill(1, kind)
    expect(await upload('First Name\nAna\n')).toMatchObject(failed(409, 'CONFLICT'))
    created(await upload('First Name\nAna\n', '', await crm.app.workspace()))
    if ('failed_lines' in kind) expect(await crm.ws.post(`/imports/${id}/check`)).toMatchObject(failed(409, 'CONFLICT'))
  })
})
