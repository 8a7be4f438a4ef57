import { describe, expect, test } from 'vitest'
import { nextDelay } from '../../src/features/imports/rules/pace.ts'
import { created, failed, found, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm({ own: true })
const { upload, uploaded, imported, act, rows } = useImports(crm)

const FILE =
  'First Name,Email,Notes\nAna,ana@example.com,"=1+1"\nBo,bo@,"two\nlines, ""quoted"""\nCy,c@,\'=x\nDi,d@example.com,"never ' +
  'closed\nEd,e@example.com,\n'

describe('the failed lines', () => {
  test('are a file that can be mended and imported again', async () => {
    const run = await imported(FILE)
    expect(run.progress).toMatchObject({ total: 5, created: 2, failed: 3 })
    const answer = await crm.ws.get(`/imports/${run.id}/failed`)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toContain('failed-lines.csv')
    const text: string = answer.body
    expect(text.split('\r\n')[0]).toBe('import_line,import_error,First Name,Email,Notes')
    expect(text).toContain('3,"Email: must be an email address, such as ana@example.com",Bo,bo@,"two\nlines, ""quoted"""')
    expect(text).toContain(`5,"Email: must be an email address, such as ana@example.com",Cy,c@,'=x`)
    expect(text).toContain('6,"A quotation mark opened on this line is never closed')

    const mended = text.replace('bo@,', 'bo@example.com,').replace('Cy,c@,', 'Cy,c@example.com,').replace('""never closed', '')
    const again = await imported(mended)
    expect(again.progress).toMatchObject({ total: 3, created: 3, failed: 0 })
    const notes = found(await crm.ws.get('/contacts?sort=name')).map(({ first_name, notes }: Row) => [first_name, notes])
    expect(notes).toEqual([
      ['Ana', '=1+1'],
      ['Bo', 'two\nlines, "quoted"'],
      ['Cy', '=x'],
      ['Di', null],
      ['Ed', null],
    ])
  })

  test('are none of another workspace, and as many as there are', async () => {
    let batches = 0
    crm.app.proxy.onRequest = (request) => {
      if ('queries' in request && request.queries.at(-1)?.query.includes('save_import_rows')) batches++
    }
    const run = await imported(`Email,First Name\n${'x,y\n'.repeat(1200)}`)
    crm.app.proxy.onRequest = undefined
    // No record can have the address, so no line waits for another one.
    expect(batches).toBe(6)
    const { body } = await crm.ws.get(`/imports/${run.id}/failed`)
    expect(body.trimEnd().split('\r\n')).toHaveLength(1201)
    const other = await crm.app.workspace()
    for (const path of ['', '/rows', '/failed', '/events', '/history']) {
      expect(await other.get(`/imports/${run.id}${path}`), path).toMatchObject(failed(404, 'NOT_FOUND'))
    }
  })
})

describe('server-sent events', () => {
  test('tell the progress of an import until it has ended', async () => {
    const people = Array.from({ length: 1000 }, (_, n) => `p${n}@example.com,P${n}`)
    const { id } = await uploaded(`Email,First Name\n${people.join('\n')}\n`)
    found(await crm.ws.post(`/imports/${id}/start`))
    const response = await crm.app.fetch(`/v1/imports/${id}/events`, { headers: { authorization: `Bearer ${crm.ws.apiKey}` } })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const text = await response.text()
    const events = [...text.matchAll(/^event: progress\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data as string))
    expect(events[0]).toMatchObject({ id, state: expect.stringMatching(/running|finished/) })
    expect(events.at(-1)).toMatchObject({ id, state: 'finished', progress: { total: 1000, done: 1000, created: 1000 } })
    const counts = events.map(({ progress }) => progress.done)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  })

  test('are one where nothing is under way', async () => {
    const { id } = await uploaded('First Name\nAna\n')
    expect((await crm.ws.get(`/imports/${id}/events`)).body).toMatch(/^event: progress\ndata: \{.*"state":"ready".*\}\n\n$/)
  })

  test('of a key are three at a time, in all isolates together; a place is free again when its stream has ended', async () => {
    const { id } = await uploaded('First Name\nAna\n')
    await crm.rewrite('imports', id, { state: 'running' })
    const follow = (ws = crm.ws) => crm.app.fetch(`/v1/imports/${id}/events`, { headers: { authorization: `Bearer ${ws.apiKey}` } })
    const open = await Promise.all([follow(), follow(), follow()])
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200])
    const refused = await follow()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect((await refused.json()) as Row).toMatchObject({ error: { code: 'RATE_LIMITED', message: expect.stringContaining('3 imports') } })
    const other = await follow(await crm.ws.key({ scopes: ['imports:read'] }))
    expect(other.status).toBe(200)
    await crm.rewrite('imports', id, { state: 'cancelled' })
    await Promise.all([...open, other].map((response) => response.text()))
    await crm.rewrite('imports', id, { state: 'running' })
    // Nobody heard of these again: their places are free when they have run out.
    const lost = await Promise.all([follow(), follow(), follow()])
    expect(lost.map(({ status }) => status)).toEqual([200, 200, 200])
    await crm.app.owner.query("update stream_leases set expires_at = now() - interval '1 second' where workspace_id = $1", [crm.ws.id])
    expect((await follow()).status).toBe(200)
    await crm.rewrite('imports', id, { state: 'cancelled' })
  })

  test('look less and less often while nothing happens', () => {
    const delays = [nextDelay(undefined, false)]
    while (delays.length < 6) delays.push(nextDelay(delays.at(-1), false))
    expect(delays).toEqual([1000, 1500, 2250, 3375, 5000, 5000])
    expect(nextDelay(5000, true)).toBe(1000)
  })

  test('end when the key is revoked', async () => {
    const { id } = await uploaded('First Name\nAna\n')
    await crm.rewrite('imports', id, { state: 'running' })
    const own = await crm.ws.key({ scopes: ['imports:read'] })
    const response = await crm.app.fetch(`/v1/imports/${id}/events`, { headers: { authorization: `Bearer ${own.apiKey}` } })
    await crm.app.owner.query('update api_keys set revoked_at = now() where id = $1', [own.keyId])
    await expect(response.text()).rejects.toThrow()
  })
})

describe('an import', () => {
  test('is listed, filtered, has a history, and goes with its file and its rows', async () => {
    const run = await imported('First Name\nAna\n')
    const { id } = created(await upload('Company\nAcme\n'))
    expect(found(await crm.ws.get('/imports')).map((row: Row) => row.id)).toEqual([id, run.id])
    expect(found(await crm.ws.get('/imports?state=finished')).map((row: Row) => row.id)).toEqual([run.id])
    expect(found(await crm.ws.get('/imports?object=companies')).map((row: Row) => row.id)).toEqual([id])
    const states = found(await crm.ws.get(`/imports/${run.id}/history`)).map(({ fields }: Row) => fields.state?.after)
    expect(states.reverse()).toEqual(['ready', 'running', 'finished'])
    const isKept = async (of: string) => (await (await crm.app.files()).head(`imports/${crm.ws.id}/${of}`)) !== null
    // Once all of its lines are done nobody reads the file any more.
    expect([await isKept(run.id), await isKept(id)]).toEqual([false, true])
    expect(await crm.ws.delete(`/imports/${run.id}`)).toMatchObject({ status: 200 })
    expect([await crm.count('import_rows'), await crm.count('contacts')]).toEqual([0, 1])
    await crm.rewrite('imports', id, { state: 'running' })
    expect(await crm.ws.delete(`/imports/${id}`)).toMatchObject(failed(409, 'INVALID_STATE'))
    await crm.rewrite('imports', id, { state: 'cancelled' })
    expect(await crm.ws.delete(`/imports/${id}`)).toMatchObject({ status: 200 })
    await crm.app.drain()
    expect(await isKept(id)).toBe(false)
  })

  test('whose file has no row is found by the sweep, and no other', async () => {
    const files = await crm.app.files()
    const { id } = await uploaded('First Name\nAna\n')
    const orphan = `imports/${crm.ws.id}/01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d`
    await files.put(orphan, 'x')
    await crm.app.cron('17 3 * * *')
    expect([await files.head(orphan), (await files.head(`imports/${crm.ws.id}/${id}`))?.size]).toEqual([null, 15])
  })

  test('is checked line by line, leaves no trace, and can be changed and checked again', async () => {
    await crm.company('Acme')
    const { id } = await uploaded('First Name,Email,Company\nAna,a@example.com,Acme\nBo,b@,Acme\nCy,c@example.com,Nobody\n', {
      unknown_companies: 'fail',
    })
    const before = await crm.count('changes')
    const checked = await act(id, 'check')
    expect(checked).toMatchObject({ state: 'checked', progress: { phase: 'check', created: 1, failed: 2 } })
    expect(
      (await rows(id)).map(({ line, status, errors }) => [line, status, errors.map(({ column, value }: Row) => `${column}: ${value}`)]),
    ).toEqual([
      [2, 'created', []],
      [3, 'failed', ['Email: b@']],
      [4, 'failed', ['Company: Nobody']],
    ])
    expect([await crm.count('contacts'), await crm.count('employers')]).toEqual([0, 0])
    // Only the import itself has changed: it was started, and it ended.
    expect(await crm.count('changes')).toBe(before + 2)
    const without = checked.mapping.filter(({ field }: Row) => field !== 'company')
    expect(found(await crm.ws.patch(`/imports/${id}`, { mapping: without }))).toMatchObject({
      state: 'ready',
      progress: { phase: null, done: 0 },
    })
    expect(await rows(id)).toEqual([])
    expect(await act(id, 'check')).toMatchObject({ progress: { created: 2, failed: 1 } })
    expect(await act(id, 'start')).toMatchObject({ state: 'finished', progress: { phase: 'run', created: 2, failed: 1 } })
  })
})
