import { describe, expect, test } from 'vitest'
import { keyOfFile, keyOfStored } from '../../src/domain/file-names.ts'
import { failed, found, ids, useCrm } from './crm.ts'
import { useForms } from './documents/forms.ts'
import { PDF, useFiles } from './uploads.ts'

const crm = useCrm({ own: true })
const { upload, uploaded, objects, sweep } = useFiles(crm)
const documents = useForms(crm)

describe('when something breaks', () => {
  /** What happens to the second round trip of the next upload, the one with the row. */
  const onSecondTrip = (happens: () => unknown) => {
    let trips = 0
    crm.app.proxy.onRequest = async () => {
      trips += 1
      if (trips === 2) await happens()
    }
  }
  const mend = () => {
    crm.app.proxy.onRequest = undefined
    crm.app.proxy.outage = 'none'
  }
  /** The same object under an id that was made two hours ago. */
  async function age(key: string, content?: string): Promise<string> {
    const bucket = await crm.app.files()
    const time = (Date.now() - 7_200_000).toString(16).padStart(12, '0')
    const old = `${key.slice(0, -36)}${time.slice(0, 8)}-${time.slice(8)}-${key.slice(-22)}`
    await bucket.put(old, content ?? (await (await bucket.get(key))!.arrayBuffer()))
    await bucket.delete(key)
    return old
  }

  test('a crash between the file and its row leaves a file that nobody sees, and the sweep removes it', async () => {
    const { id } = await crm.opportunity()
    const kept = await uploaded(id)
    await crm.app.drain()
    onSecondTrip(() => {
      throw new Error('The connection broke')
    })
    expect(await upload(id, 'lost.pdf')).toMatchObject(failed(503, 'UNAVAILABLE'))
    mend()
    expect(ids(found(await crm.ws.get(`/opportunities/${id}/attachments`)))).toEqual([kept.id])
    const orphan = (await objects()).find((key) => !key.endsWith(kept.id)) as string

    await sweep()
    expect(await objects(), 'an upload may be under way').toContain(orphan)
    await age(orphan)
    await sweep()
    expect(await objects()).toEqual([keyOfFile(crm.ws.id, kept.id)])
    expect(found(await crm.ws.get(`/opportunities/${id}/attachments`))).toMatchObject([{ id: kept.id, state: 'stored' }])
  })

  test('a lost response is replayed for the same Idempotency-Key, but not for another file', async () => {
    const { id } = await crm.opportunity()
    await crm.app.drain()
    const headers = { 'idempotency-key': 'one' }
    onSecondTrip(() => {
      crm.app.proxy.outage = 'lose_answer'
    })
    expect(await upload(id, 'quote.pdf', PDF, headers)).toMatchObject(failed(503, 'UNAVAILABLE'))
    mend()
    const again = await upload(id, 'quote.pdf', PDF, headers)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    expect(ids(found(await crm.ws.get(`/opportunities/${id}/attachments`)))).toEqual([again.body.data.id])
    expect(await upload(id, 'quote.pdf', `${PDF}!`, headers)).toMatchObject(failed(422, 'IDEMPOTENCY_KEY_REUSED'))
    expect(await upload(id, 'other.pdf', PDF, headers)).toMatchObject(failed(422, 'IDEMPOTENCY_KEY_REUSED'))
  })

  test('the same upload twice at once with one Idempotency-Key makes one attachment', async () => {
    const { id } = await crm.opportunity()
    const answers = await Promise.all(Array.from({ length: 5 }, () => upload(id, 'quote.pdf', PDF, { 'idempotency-key': 'twin' })))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1)
    expect(await crm.count('attachments')).toBe(1)
  })

  test('an opportunity deleted during an upload gets no attachment', async () => {
    const { id } = await crm.opportunity()
    await crm.app.drain()
    onSecondTrip(() => crm.app.owner.query('delete from opportunities where id = $1', [id]))
    expect(await upload(id, 'late.pdf')).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('a file that is lost in storage is found to be missing, and found again when it is back', async () => {
    const { id } = await crm.opportunity()
    const attachment = await uploaded(id)
    const bucket = await crm.app.files()
    const key = keyOfFile(crm.ws.id, attachment.id)
    await bucket.delete(key)
    await sweep()
    const path = `/opportunities/${id}/attachments/${attachment.id}`
    expect(found(await crm.ws.get(path))).toMatchObject({ state: 'missing', version: 2 })
    expect(await crm.ws.get(`${path}/download`)).toMatchObject({
      status: 409,
      body: { error: { code: 'INVALID_STATE', details: { state: 'missing', allowed: ['stored'] } } },
    })
    await bucket.put(key, PDF)
    await sweep()
    expect(found(await crm.ws.get(path))).toMatchObject({ state: 'stored', version: 3 })
  })

  test('a removal whose message was lost is made up for by the sweep of events', async () => {
    const { id } = await crm.opportunity()
    const attachment = await uploaded(id)
    await crm.app.drain()
    await crm.app.owner.query('delete from attachments where id = $1', [attachment.id])
    await crm.app.owner.query('delete from deleted_rows where row_id = $1', [attachment.id])
    expect(await objects()).toHaveLength(1)
    await crm.app.cron('* * * * *')
    expect(await objects()).toEqual([])
  })

  test('the event of a deletion that comes late, or again, leaves the content of a file that was restored', async () => {
    const opportunity = await crm.opportunity()
    const attachment = await uploaded(opportunity.id)
    const file = await documents.uploaded()
    const paths = [`/opportunities/${opportunity.id}/attachments/${attachment.id}`, `/files/${file.id}`]
    for (const path of paths) {
      found(await crm.ws.delete(path))
      found(await crm.ws.post(`${path}/restore`))
    }
    await crm.app.drain()
    const type = "type in ('attachment.deleted', 'file.deleted')"
    const again = `update outbox set delivered_at = null, claimed_at = null where workspace_id = $1 and ${type}`
    expect((await crm.app.owner.query(again, [crm.ws.id])).rowCount).toBe(2)
    await crm.app.cron('* * * * *')
    const left = await crm.app.owner.query(`select from outbox where workspace_id = $1 and ${type} and delivered_at is null`, [crm.ws.id])
    expect(left.rowCount).toBe(0)
    expect(await objects()).toEqual([keyOfFile(crm.ws.id, attachment.id)])
    expect(await documents.objects()).toEqual([keyOfStored(crm.ws.id, file.id)])
  })

  test('the sweep resumes where the previous one stopped, and restarts after the last file', async () => {
    const { id } = await crm.opportunity()
    const bucket = await crm.app.files()
    const key = keyOfFile(crm.ws.id, (await uploaded(id)).id)
    await bucket.delete(key)
    await bucket.put('sweeps/attachments', JSON.stringify({ workspace_id: 'ffffffff-ffff-ffff-ffff-ffffffffffff', id: crm.ws.id }))
    const [path, states] = [`/opportunities/${id}/attachments`, [] as string[]]
    for (let runs = 0; runs < 2; runs++) {
      await sweep()
      states.push(found(await crm.ws.get(path))[0]?.state)
    }
    expect(states).toEqual(['stored', 'missing'])
  })

  test('the sweep goes through more rows than it takes at once', async () => {
    const { id } = await crm.opportunity()
    const { rows } = await crm.app.owner.query<{ id: string }>(
      `insert into attachments (workspace_id, opportunity_id, name, content_type, size, sha256)
       select $1, $2, 'a.pdf', 'application/pdf', 1, '' from generate_series(1, 1100) returning id`,
      [crm.ws.id, id],
    )
    const bucket = await crm.app.files()
    const keys = rows.map((row) => keyOfFile(crm.ws.id, row.id)).sort()
    const kept = [0, 998, 999, 1000, 1099].map((n) => keys[n] as string)
    await Promise.all(kept.map((key) => bucket.put(key, 'x')))
    const orphan = await age(keys[1] as string, 'x')
    await sweep()
    expect(await objects()).toEqual(kept)
    expect(await bucket.head(orphan)).toBeNull()
    const stored = await crm.app.owner.query("select id from attachments where workspace_id = $1 and state = 'stored'", [crm.ws.id])
    expect(stored.rows.map((row) => keyOfFile(crm.ws.id, row.id)).sort()).toEqual(kept)
  })
})
