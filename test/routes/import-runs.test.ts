import { describe, expect, test } from 'vitest'
import { dirtyCsv } from '../../bench/dirty-csv.ts'
import { proving } from '../proof.ts'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm({ own: true })
const { upload, uploaded, imported, act, rows } = useImports(crm)

const message = (id: string) => ({ type: 'work.run', kind: 'import.run', workspace_id: crm.ws.id, item_id: id })
const get = async (id: string) => found(await crm.ws.get(`/imports/${id}`))
/** Puts an import under way without its queue: the test delivers its messages. */
async function begun(id: string): Promise<void> {
  const { rows } = await crm.app.owner.query('select id from api_keys where id = $1', [crm.ws.keyId])
  await crm.rewrite('imports', id, { state: 'running', run_key_id: rows[0].id, started_at: new Date() })
  await crm.app.owner.query("update import_files set phase = 'run' where import_id = $1", [id])
}
const people = (count: number, from = 1) =>
  'External ID,First Name,Email\n' +
  `${Array.from({ length: count }, (_, n) => `p-${from + n},Person ${from + n},p${from + n}@example.com`).join('\n')}\n`

describe('a dirty file of thousands of lines', () => {
  test('becomes what can be read of it, and reports each other line by its number', async () => {
    await crm.company('Acme')
    const count = proving ? 2000 : 700
    const { text, lines, failing } = dirtyCsv(count)
    const run = await imported(text, { mode: 'upsert', match_by: 'external_id' })
    expect(run).toMatchObject({ state: 'finished', progress: { total: count, done: count, created: lines.good, failed: lines.failed } })
    const bad = await rows(run.id, '&status=failed')
    expect(bad.map(({ line }) => line)).toEqual(failing)
    expect(bad.every(({ errors, values }) => errors.length > 0 && values.length > 0)).toBe(true)
    expect(await crm.count('contacts')).toBe(lines.good)
    // Again, with the very same file, nothing is made twice.
    const again = await imported(text, { mode: 'upsert', match_by: 'external_id' })
    expect(again.progress).toMatchObject({ created: 0, updated: lines.good, failed: lines.failed })
    expect(await crm.count('contacts')).toBe(lines.good)
  }, 120_000)
})

describe('an import that is disturbed', () => {
  test('does no line twice and leaves none out, however often and how many at once its messages come', async () => {
    const count = proving ? 1500 : 700
    const { id } = await uploaded(people(count))
    await begun(id)
    await Promise.all(Array.from({ length: 6 }, () => crm.app.deliver('imports', [message(id)])))
    await crm.app.drain()
    expect(await get(id)).toMatchObject({ state: 'finished', progress: { done: count, created: count, failed: 0 } })
    await crm.app.deliver('imports', [message(id)])
    expect(await crm.count('contacts')).toBe(count)
    expect((await rows(id)).map(({ line }) => line)).toEqual(Array.from({ length: count }, (_, n) => n + 2))
  })

  test('makes no record twice beside another of the same file', async () => {
    const imports = [
      await uploaded(people(800), { mode: 'upsert', match_by: 'email' }),
      await uploaded(people(800), { mode: 'upsert', match_by: 'email' }),
    ]
    for (const { id } of imports) await begun(id)
    await Promise.all(imports.map(({ id }) => crm.app.deliver('imports', [message(id)])))
    await crm.app.drain()
    const done = await Promise.all(imports.map(({ id }) => get(id)))
    expect(done.map(({ state, progress }) => [state, progress.done, progress.failed])).toEqual([
      ['finished', 800, 0],
      ['finished', 800, 0],
    ])
    expect(await crm.count('contacts')).toBe(800)
  })

  test('resumes when the Worker is killed in the midst of it', async () => {
    const count = proving ? 2500 : 1500
    const file = people(count)
    const { id } = await uploaded(file)
    await begun(id)
    let seen = 0
    for (const kill of proving ? [2, 5, 3] : [1, 2, 1]) {
      const running = crm.app.deliver('imports', [message(id)]).catch(() => {})
      const end = Date.now() + 20_000
      while ((await doneOf(id)) < seen + kill * 200 && Date.now() < end);
      await crm.app.restart()
      await running
      // What this runtime stores goes with it.
      await (await crm.app.files()).put(`imports/${crm.ws.id}/${id}`, file)
      seen = await doneOf(id)
    }
    expect(await get(id)).toMatchObject({ state: 'running' })
    // Nobody's message is left: the sweep finds it.
    await crm.app.owner.query("update import_files set touched_at = now() - interval '2 minutes' where import_id = $1", [id])
    await crm.app.cron('* * * * *')
    await crm.app.drain()
    expect(await get(id)).toMatchObject({ state: 'finished', progress: { done: count, created: count } })
    expect(await crm.count('contacts')).toBe(count)
    expect(new Set((await rows(id)).map(({ record_id }) => record_id)).size).toBe(count)
  }, 120_000)

  const doneOf = async (id: string): Promise<number> =>
    (await crm.app.owner.query('select done from import_files where import_id = $1', [id])).rows[0].done

  test('reports a line that the database refuses for an unforeseen reason, and imports the others', async () => {
    await crm.app.owner.query(`create function stumble() returns trigger language plpgsql as $$ begin raise exception
      using errcode = '42P01', message = 'a secret'; end $$;
      create trigger stumble before insert on contacts for each row when (new.first_name = 'Person 7') execute function stumble()`)
    try {
      const run = await imported(people(20))
      expect(run).toMatchObject({ state: 'finished', progress: { created: 19, failed: 1 } })
      expect(await rows(run.id, '&status=failed')).toMatchObject([
        { line: 8, errors: [{ field: null, message: 'Something went wrong on our side with this line' }] },
      ])
      expect(crm.app.logs.join('\n')).toContain('a secret')
    } finally {
      await crm.app.owner.query('drop function stumble cascade')
    }
  })

  test('says of a line that is refused which record it was about', async () => {
    await imported(people(2))
    const taken = 'External ID,Email\np-2,p1@example.com\n'
    const run = await imported(taken, { mode: 'update', match_by: 'email' })
    const [person] = found(await crm.ws.get('/contacts?email=p1@example.com'))
    expect(await rows(run.id)).toMatchObject([{ line: 2, status: 'failed', record_id: person?.id, errors: [{ field: 'external_id' }] }])
  })

  test('stops when it is cancelled, and goes on when it is started again', async () => {
    const { id } = await uploaded(people(10))
    await begun(id)
    expect(found(await crm.ws.post(`/imports/${id}/cancel`))).toMatchObject({ state: 'cancelled' })
    await crm.app.deliver('imports', [message(id)])
    expect(await crm.count('contacts')).toBe(0)
    expect(await crm.ws.patch(`/imports/${id}`, { mode: 'update' })).toMatchObject(failed(409, 'INVALID_STATE'))
    expect(await act(id, 'start')).toMatchObject({ state: 'finished', progress: { created: 10 } })
    expect(await crm.ws.post(`/imports/${id}/start`)).toMatchObject(failed(409, 'INVALID_STATE'))
  })

  test('ends as failed when its messages do to the end, and when its file is lost', async () => {
    const { id } = await uploaded(people(1))
    await begun(id)
    await crm.app.deliver('imports-dead', [message(id)])
    expect(await get(id)).toMatchObject({ state: 'failed', reason: expect.stringContaining('repeatedly') })
    await (await crm.app.files()).delete(`imports/${crm.ws.id}/${id}`)
    expect(await act(id, 'start')).toMatchObject({ state: 'failed', reason: expect.stringContaining('lost') })
  })
})

describe('the authority of an import', () => {
  test('is that of the key that started it, as it is now', async () => {
    const key = await crm.ws.key({ scopes: ['imports:*', 'contacts:write'] })
    for (const [change, reason] of [
      ['update api_keys set revoked_at = now() where id = $1', 'revoked'],
      ["update api_keys set scopes = '{imports:write}' where id = $1", 'scope'],
      ["update memberships set role = 'client_viewer' where user_id = (select user_id from api_keys where id = $1)", 'Viewer'],
    ] as const) {
      const own = await crm.ws.key({ scopes: ['imports:*', 'contacts:write'] })
      const { id } = created(await upload(people(3), '', own))
      await begun(id)
      await crm.rewrite('imports', id, { run_key_id: own.keyId })
      await crm.app.owner.query(change, [own.keyId])
      await crm.app.deliver('imports', [message(id)])
      expect(await get(id)).toMatchObject({ state: 'failed', reason: expect.stringContaining(reason), progress: { done: 0 } })
    }
    expect(await crm.count('contacts')).toBe(0)
    const { id } = created(await upload(people(3), '', key))
    found(await key.post(`/imports/${id}/start`))
    await crm.app.drain()
    const [contact] = found(await crm.ws.get('/contacts?limit=1'))
    expect(found(await crm.ws.get(`/contacts/${contact?.id}/history`))[0]).toMatchObject({
      user_id: key.userId,
      key_id: key.keyId,
      request_id: id,
    })
  })

  test('needs the scopes of the object', async () => {
    const key = await crm.ws.key({ scopes: ['imports:*', 'contacts:read'] })
    const { id } = created(await upload(people(1), '', key))
    for (const action of ['check', 'start'])
      expect(await key.post(`/imports/${id}/${action}`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    const writer = await crm.ws.key({ scopes: ['imports:*', 'contacts:write'] })
    await act(id, 'start', writer)
    expect(await writer.post(`/imports/${id}/undo`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  })

  test('of a key that needs approval is given with the approval', async () => {
    const { id } = await uploaded(people(2))
    const careful = await crm.ws.key({ level: 'approval' })
    const { body } = await careful.post(`/imports/${id}/start`)
    expect(body).toMatchObject({ status: 'pending' })
    expect(await get(id)).toMatchObject({ state: 'ready' })
    await crm.ws.post(`/approvals/${body.approval_id}/approve`, {})
    await crm.app.drain()
    expect(await get(id)).toMatchObject({ state: 'finished', progress: { created: 2 } })
  })

  test('says whether automations react, if one waits for such records', async () => {
    const trigger = { type: 'contact_created' }
    const automation = created(await crm.ws.post('/automations', { name: 'Welcome', trigger, steps: [{ type: 'stop' }] }))
    found(await crm.ws.post(`/automations/${automation.id}/publish`))
    const { id } = await uploaded(people(1))
    await act(id, 'check')
    expect(await crm.ws.post(`/imports/${id}/start`)).toMatchObject(refused('run_automations'))
    found(await crm.ws.patch(`/imports/${id}`, { run_automations: false }))
    await act(id, 'start')
    const skipped = await uploaded(people(1))
    found(await crm.ws.post(`/imports/${skipped.id}/start`, { skip_automations: true }))
    const companies = await uploaded('Name\nAcme\n', { object: 'companies' })
    await act(companies.id, 'start')
    found(await crm.ws.post(`/automations/${automation.id}/pause`))
    await act((await uploaded(people(1))).id, 'start')
  })

  test.each([
    ['by default', {}, {}, true],
    ['where the import says so', { run_automations: false }, {}, true],
    ['where the start does, whatever the import says', { run_automations: true }, { skip_automations: true }, true],
    ['except where the import lets them run', { run_automations: true }, {}, false],
  ])('skips automations %s', async (_, settings, control, skip_automations) => {
    const { id } = await uploaded(people(1), settings)
    found(await crm.ws.post(`/imports/${id}/start`, control))
    await crm.app.drain()
    const [row] = await rows(id)
    const record = (row as Row).record_id
    expect((await crm.events(record))[0]).toMatchObject({ type: 'contact.created', skip_automations, request_id: id })
    await act(id, 'undo')
    expect((await crm.events(record)).at(-1)).toMatchObject({ type: 'contact.deleted', skip_automations: true })
  })
})
