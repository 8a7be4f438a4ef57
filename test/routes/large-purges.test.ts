import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { JOB_WAITS } from '../../src/domain/deletions.ts'
import { limitDependants } from '../deleting.ts'
import { created, failed, found, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'
import { decided, type Mark, markedPerson, newMark, places } from './marked-person.ts'

/** A purge of more rows than this is a job: so few that the tests are quick. */
const MOST = 3
const crm = useCrm({ own: true })
beforeAll(() => limitDependants(crm.app, MOST))
const { imported } = useImports(crm)
let mark: Mark
beforeEach(() => {
  mark = newMark()
})

const accepted = ({ status, body }: { status: number; body: Row }): string => {
  expect(status, JSON.stringify(body)).toBe(202)
  return body.data.job_id
}
const job = async (id: string) => found(await crm.ws.get(`/jobs/${id}`))
const purge = (id: string, query = '') => crm.ws.delete(`/contacts/${id}?purge=true${query}`)
const work = async () => {
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}
const nowhere = async () => {
  await crm.app.cron('* * * * *')
  for (const text of [mark.mark, mark.number]) expect(await places(crm, text)).toEqual({})
}
/** Has the queue keep what it is sent, so that a job waits. */
const waiting = async <Result>(request: () => Promise<Result>): Promise<Result> => {
  await crm.app.capture(true)
  const result = await request()
  await crm.app.capture(false)
  return result
}
const tasksOf = async (id: string, count = MOST + 2) => {
  for (let n = 0; n < count; n++) created(await crm.ws.post('/tasks', { title: mark.marked(`Call ${n}`), contact_id: id }))
}
/** Does a batch of a job by hand, as a worker would that dies after it. */
async function oneBatch(job_id: string, rows: number) {
  const claim = crypto.randomUUID()
  await crm.app.owner.query('update deletions set due_at = now(), claimed_until = null where id = $1', [job_id])
  await crm.app.owner.query("select claim_work('records.delete', $1, $2, 1, 60, 1)", [crm.ws.id, claim])
  const { rows: result } = await crm.app.owner.query('select run_deletion($1, $2, $3, $4) as ended', [crm.ws.id, job_id, claim, rows])
  await crm.app.owner.query('update deletions set due_at = now(), claimed_until = null where id = $1', [job_id])
  return result[0].ended as boolean
}

describe('the purge of a contact with many dependants', () => {
  test('is accepted, hides the contact at once, and leaves nothing of the person', async () => {
    const { id, deal, shared, task, waiting: pending } = await markedPerson(crm, mark)
    const response = await waiting(() => purge(id))
    const job_id = accepted(response)
    expect(response.body.data).toEqual({ id, deleted: true, job_id })
    expect(response.headers.get('location')).toBe(`/v1/jobs/${job_id}`)
    expect(await job(job_id)).toMatchObject({ type: 'purge', state: 'running', entity: 'contact', entity_id: id })

    for (const refused of [crm.ws.get(`/contacts/${id}`), crm.ws.delete(`/contacts/${id}`), crm.ws.patch(`/contacts/${id}`, { city: 'P' })])
      expect(await refused).toMatchObject({ ...failed(404, 'NOT_FOUND'), body: { error: { details: { job_id } } } })
    expect(accepted(await waiting(() => purge(id)))).toBe(job_id)
    expect((await crm.ws.post(`/contacts/${id}/restore`)).body.error).toMatchObject({ code: 'CONFLICT', details: { job_id } })

    await work()
    expect(await job(job_id)).toMatchObject({ state: 'completed', error: null })
    await nowhere()
    expect((await crm.ws.get(`/contacts/${id}`)).body.error).toMatchObject({
      code: 'NOT_FOUND',
      details: { purged_at: expect.any(String) },
    })
    expect((await crm.ws.post(`/contacts/${id}/restore`)).body.error.code).toBe('NOT_FOUND')
    expect(found(await crm.ws.get('/contacts/purged'))).toMatchObject([
      { id, purged_by: crm.ws.userId, request_id: response.headers.get('x-request-id') },
    ])
    expect(await crm.events(id)).toContainEqual(expect.objectContaining({ type: 'contact.purged', payload: {} }))
    const kept = { contact_id: null, deal_id: deal.id, duration_seconds: 60, subject: null, body: null, metadata: {} }
    expect(found(await crm.ws.get(`/activities/${shared.id}`))).toMatchObject(kept)
    expect(found(await crm.ws.get(`/tasks/${task.id}`))).toMatchObject({ opportunity_id: deal.id, title: '(purged)', description: null })
    expect(found(await crm.ws.get(`/approvals/${pending}`)).status).toBe('rejected')
  })

  test('loses nothing when workers die after any batch', async () => {
    const { id } = await markedPerson(crm, mark)
    const job_id = accepted(await waiting(() => purge(id)))
    let batches = 0
    while (!(await oneBatch(job_id, 1))) batches++
    expect(batches).toBeGreaterThan(5)
    expect(await job(job_id)).toMatchObject({ state: 'completed' })
    await nowhere()
  })

  test('includes those who were merged into it', async () => {
    const { id } = await markedPerson(crm, mark)
    const { id: winner } = await crm.contact({ first_name: mark.mark })
    found(await crm.ws.post('/contacts/merge', { winner_id: winner, loser_ids: [id] }))
    await tasksOf(winner)
    const job_id = accepted(await purge(winner))
    await work()
    expect(await job(job_id)).toMatchObject({ state: 'completed', error: null })
    await nowhere()
  })

  test('is tried, refused and approved like any other', async () => {
    const { id } = await markedPerson(crm, mark)
    const trial = await purge(id, '&dry_run=true')
    expect([trial.status, trial.body.data]).toEqual([200, { id, deleted: true }])
    expect(JSON.stringify(trial.body)).not.toContain(mark.mark)
    expect(await crm.ws.delete(`/contacts/${id}?purge=true`, { 'if-match': '"99"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
    const editor = await crm.ws.key({ role: 'client_editor' })
    expect(await editor.delete(`/contacts/${id}?purge=true`)).toMatchObject(failed(403, 'FORBIDDEN'))
    const pending = await purge(id, '&require_approval=true')
    expect(found(await crm.ws.get(`/contacts/${id}`)).id).toBe(id)
    await decided(crm, pending, 'approve')
    await work()
    await nowhere()
    expect(found(await crm.ws.get(`/approvals/${pending.body.approval_id}`))).toMatchObject({ status: 'executed', response_status: 202 })
  })

  test('answers a repetition with its Idempotency-Key as before, also when the job has ended', async () => {
    const { id } = await markedPerson(crm, mark)
    const key = (name: string) => ({ 'idempotency-key': `${name}-${id}` })
    const change = () => crm.ws.patch(`/contacts/${id}`, { city: 'Perth' }, key('change'))
    const purgeOnce = () => crm.ws.delete(`/contacts/${id}?purge=true`, key('purge'))
    found(await change())
    const first = await purgeOnce()
    const job_id = accepted(first)
    await work()
    expect(await job(job_id)).toMatchObject({ state: 'completed' })
    const again = await purgeOnce()
    expect([again.status, again.body]).toEqual([202, first.body])
    expect(await change()).toMatchObject({
      ...failed(404, 'NOT_FOUND'),
      body: { error: { message: expect.stringMatching('purged since') } },
    })
    await nowhere()
  })

  test('purges a contact once, however many ask for it at the same time', async () => {
    const { id } = await markedPerson(crm, mark)
    const answers = await waiting(() => Promise.all([purge(id), purge(id), purge(id)]))
    expect(new Set(answers.map(accepted)).size).toBe(1)
    await work()
    await nowhere()
    expect((await crm.events(id)).filter(({ type }) => type === 'contact.purged')).toHaveLength(1)
  })
})

describe('the purge of a contact that was deleted', () => {
  test('erases what was kept of it and of the rows that went with it', async () => {
    const { id } = await markedPerson(crm, mark)
    const first = accepted(await crm.ws.delete(`/contacts/${id}`))
    await work()
    expect(await job(first)).toMatchObject({ state: 'completed' })
    expect(Object.keys(await places(crm, mark.mark))).toContain('deleted_rows')
    const job_id = accepted(await waiting(() => purge(id)))
    expect(accepted(await waiting(() => purge(id)))).toBe(job_id)
    while (!(await oneBatch(job_id, 2)));
    await nowhere()
  })

  test('takes over the job that is still deleting it', async () => {
    const { id } = await markedPerson(crm, mark)
    const job_id = accepted(await waiting(() => crm.ws.delete(`/contacts/${id}`)))
    await oneBatch(job_id, 2)
    expect(accepted(await purge(id))).toBe(job_id)
    await work()
    expect(await job(job_id)).toMatchObject({ type: 'purge', state: 'completed', error: null })
    await nowhere()
  })
})

describe('a purge that fails', () => {
  test('keeps what it has done, cannot be restored, and goes on when its dead letter is replayed', async () => {
    const { id } = await markedPerson(crm, mark)
    await tasksOf(id)
    const [sealed] = found(await crm.ws.get(`/tasks?contact_id=${id}`)) as Row[]
    await crm.app.owner.query(`create or replace function refuse() returns trigger language plpgsql as $$ begin
        if old.id = tg_argv[0]::uuid then raise check_violation using message = 'sealed', constraint = 'sealed'; end if;
        return old;
      end $$`)
    await crm.app.owner.query(`create trigger refuse before delete on tasks for each row execute function refuse('${sealed?.id}')`)
    const job_id = accepted(await purge(id))
    for (let attempt = 0; attempt <= JOB_WAITS.length; attempt++) {
      await work()
      await crm.app.owner.query("update deletions set due_at = now() where due_at is not null and state = 'running'")
    }
    expect(await job(job_id)).toMatchObject({ type: 'purge', state: 'failed', error: expect.stringContaining('sealed') })
    expect((await crm.ws.get(`/contacts/${id}`)).status).toBe(404)
    expect((await crm.ws.post(`/contacts/${id}/restore`)).body.error).toMatchObject({ code: 'CONFLICT', details: { job_id } })
    await crm.app.owner.query('drop trigger refuse on tasks')
    const [letter] = found(await crm.ws.get('/dead-letters?status=open')) as Row[]
    found(await crm.ws.post(`/dead-letters/${letter?.id}/replay`))
    await work()
    expect(await job(job_id)).toMatchObject({ state: 'completed', error: null })
    await nowhere()
  })
})

describe('what an import kept of a person with many dependants', () => {
  test('is gone with its preview, in the batches too', async () => {
    const file = `First name,Email,Phone\n${mark.mark},${mark.mark}@x.co,soon\nBo,bo@x.co,0412 000 000\n`
    const { id: importId } = await imported(file)
    const ana = await crm.contact({ first_name: 'Ana', email: `${mark.mark}@x.co` })
    await tasksOf(ana.id)
    expect(Object.keys(await places(crm, mark.mark))).toEqual(expect.arrayContaining(['import_files', 'import_rows']))
    accepted(await purge(ana.id))
    await work()
    await nowhere()
    const { preview, columns } = found(await crm.ws.get(`/imports/${importId}`)).file
    expect([preview, columns[0].samples]).toEqual([[], []])
  })
})
