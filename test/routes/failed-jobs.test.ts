import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { JOB_WAITS } from '../../src/domain/deletions.ts'
import { limitDependants } from '../deleting.ts'
import { created, found, type Row, useCrm } from './crm.ts'

/** More dependants than this are deleted and restored by jobs: so few that the tests are quick. */
const MOST = 10
const crm = useCrm({ own: true })
beforeAll(() => limitDependants(crm.app, MOST))
afterEach(() => crm.app.owner.query('drop trigger if exists refuse on activities'))

const accepted = ({ status, body }: { status: number; body: Row }): string => {
  expect(status, JSON.stringify(body)).toBe(202)
  return body.data.job_id
}
const job = async (id: string) => found(await crm.ws.get(`/jobs/${id}`))
const work = async () => {
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}
/** Lets every attempt that is left begin at once. */
async function allAttempts() {
  for (let attempt = 0; attempt <= JOB_WAITS.length; attempt++) {
    await work()
    await crm.app.owner.query("update deletions set due_at = now() where due_at is not null and state = 'running'")
  }
}
/** A rule of the database that refuses one activity. */
async function refuse(event: 'delete' | 'insert', id: string) {
  await crm.app.owner.query(
    `create or replace function refuse() returns trigger language plpgsql as $$ begin
        if coalesce(new.id, old.id) = tg_argv[0]::uuid then
          raise check_violation using message = 'the meeting is sealed', constraint = 'sealed'; end if;
        return coalesce(new, old);
      end $$`,
  )
  await crm.app.owner.query(`create trigger refuse before ${event} on activities for each row execute function refuse('${id}')`)
}
async function busyContact(external_id = 'A-1') {
  const { id } = await crm.contact({ email: 'ana@example.com', external_id, tags: [{ name: 'vip', color: 'red' }], metadata: { size: 3 } })
  const notes: string[] = []
  for (let n = 0; n < MOST + 2; n++) {
    notes.push(created(await crm.ws.post('/activities', { activity_type: 'note', body: `Note ${n}`, contact_id: id })).id)
  }
  const task = created(await crm.ws.post('/tasks', { title: 'Call', contact_id: id })).id
  return { id, sealed: notes.at(-1) as string, task }
}
const contact = async (id: string): Promise<Row> => found(await crm.ws.get(`/contacts/${id}`))
const notesOf = async (id: string): Promise<Row[]> => found(await crm.ws.get(`/activities?contact_id=${id}&limit=100`))
const settled = ({ version: _, updated_at: __, ...row }: Row) => row
const letters = async () => found(await crm.ws.get('/dead-letters?status=open')) as Row[]

describe('a deletion whose batch fails always', () => {
  test('ends as failed with the reason, and the jobs of others are done', async () => {
    const { id, sealed } = await busyContact()
    const { id: other } = await busyContact('A-2')
    await refuse('delete', sealed)
    const [job_id, others] = [accepted(await crm.ws.delete(`/contacts/${id}`)), accepted(await crm.ws.delete(`/contacts/${other}`))]
    await work()
    expect(await job(job_id)).toMatchObject({ state: 'running', ended_at: null, error: expect.stringContaining('sealed') })
    expect(await job(others)).toMatchObject({ state: 'completed', error: null })
    await allAttempts()
    const failed = await job(job_id)
    expect(failed).toMatchObject({ state: 'failed', error: expect.stringContaining('sealed'), ended_at: expect.any(String) })
    expect(await letters()).toMatchObject([
      { type: 'records.delete', queue: 'imports', attempts: JOB_WAITS.length + 1, last_error: expect.stringContaining('sealed') },
    ])
    expect((await crm.ws.get(`/contacts/${id}`)).status).toBe(404)
    expect(await notesOf(id)).toEqual([])
  })

  test('goes on when its dead letter is replayed', async () => {
    const { id, sealed } = await busyContact()
    await refuse('delete', sealed)
    const job_id = accepted(await crm.ws.delete(`/contacts/${id}`))
    await allAttempts()
    await crm.app.owner.query('drop trigger refuse on activities')
    const [letter] = await letters()
    found(await crm.ws.post(`/dead-letters/${letter?.id}/replay`))
    await work()
    expect(await job(job_id)).toMatchObject({ state: 'completed', error: null })
    expect(await crm.count('contacts')).toBe(0)
    expect(await crm.count('activities')).toBe(0)
  })

  test('leaves a record that a restore brings back whole, and that can be deleted again', async () => {
    const { id, sealed, task } = await busyContact()
    const [before, notes] = [await contact(id), await notesOf(id)]
    await refuse('delete', sealed)
    const job_id = accepted(await crm.ws.delete(`/contacts/${id}`))
    // A part of the batch is done before the one that fails.
    const claim = crypto.randomUUID()
    await crm.app.drain()
    await crm.app.owner.query('update deletions set due_at = now(), claimed_until = null where id = $1', [job_id])
    await crm.app.owner.query("select claim_work('records.delete', $1, $2, 1, 60, 1)", [crm.ws.id, claim])
    await crm.app.owner.query('select run_deletion($1, $2, $3, 4)', [crm.ws.id, job_id, claim])
    await crm.app.owner.query('update deletions set due_at = now(), claimed_until = null where id = $1', [job_id])
    await allAttempts()
    expect(await job(job_id)).toMatchObject({ state: 'failed', processed: 4 })

    const restored = await crm.ws.post(`/contacts/${id}/restore`)
    expect([restored.status, restored.body._warnings]).toEqual([200, undefined])
    expect(restored.body.data.version).toBe(before.version + 2)
    expect(settled(await contact(id))).toEqual(settled(before))
    expect((await notesOf(id)).map(settled)).toEqual(notes.map(settled))
    expect(found(await crm.ws.get(`/tasks/${task}`)).contact_id).toBe(id)
    const history = found(await crm.ws.get(`/contacts/${id}/history?limit=2`))
    expect(history).toMatchObject([{ action: 'created', cause_type: 'restore' }, { action: 'deleted' }])
    expect(found(await crm.ws.get('/contacts?email=ana@example.com')).map((row: Row) => row.id)).toEqual([id])
    expect((await crm.ws.post(`/contacts/${id}/restore`)).body.error.code).toBe('INVALID_STATE')

    await crm.app.owner.query('drop trigger refuse on activities')
    const again = accepted(await crm.ws.delete(`/contacts/${id}`))
    await work()
    expect(await job(again)).toMatchObject({ state: 'completed' })
    expect(await crm.count('activities')).toBe(0)
    // The replay of what has failed before changes nothing.
    const [letter] = await letters()
    found(await crm.ws.post(`/dead-letters/${letter?.id}/replay`))
    await work()
    expect(await job(job_id)).toMatchObject({ state: 'failed' })
  })
})

describe('a restore whose batch fails always', () => {
  test('leaves the record that is there, and goes on when it is restored again or replayed', async () => {
    for (const isReplayed of [false, true]) {
      const { id, sealed } = await busyContact(`A-${isReplayed}`)
      accepted(await crm.ws.delete(`/contacts/${id}`))
      await work()
      await refuse('insert', sealed)
      const job_id = accepted(await crm.ws.post(`/contacts/${id}/restore`))
      await allAttempts()
      expect(await job(job_id)).toMatchObject({ type: 'restore', state: 'failed', error: expect.stringContaining('sealed') })
      expect((await crm.ws.get(`/contacts/${id}`)).status).toBe(200)
      await crm.app.owner.query('drop trigger refuse on activities')
      const letter = (await letters()).find(({ message }) => message.item_id === job_id)
      expect(letter).toMatchObject({ type: 'records.restore' })
      if (isReplayed) found(await crm.ws.post(`/dead-letters/${letter?.id}/replay`))
      else expect(accepted(await crm.ws.post(`/contacts/${id}/restore`))).toBe(job_id)
      await work()
      expect(await job(job_id)).toMatchObject({ state: 'completed', error: null })
      expect(await notesOf(id)).toHaveLength(MOST + 2)
    }
  })

  test.each(['alone', 'in bulk'])('leaves a record that can be deleted %s', async (how) => {
    const { id, sealed } = await busyContact()
    accepted(await crm.ws.delete(`/contacts/${id}`))
    await work()
    await refuse('insert', sealed)
    const job_id = accepted(await crm.ws.post(`/contacts/${id}/restore`))
    await allAttempts()
    if (how === 'alone') found(await crm.ws.delete(`/contacts/${id}`))
    else expect(found(await crm.ws.post('/contacts/bulk-delete', { ids: [id] })).results).toMatchObject([{ id }])
    const [letter] = await letters()
    found(await crm.ws.post(`/dead-letters/${letter?.id}/replay`))
    await work()
    expect(await job(job_id)).toMatchObject({ state: 'failed' })
    expect((await crm.ws.get(`/contacts/${id}`)).status).toBe(404)
  })
})
