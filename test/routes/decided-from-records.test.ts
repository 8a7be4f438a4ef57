import { afterEach, expect, test } from 'vitest'
import { failed, found, useCrm } from './crm.ts'
import { useImports } from './importing.ts'
import { merge } from './merging.ts'

const crm = useCrm()
const { uploaded } = useImports(crm)

/** Changes a record each time when a request is about to write what it decided from that record. */
function changeBefore(writes: RegExp, change: () => Promise<void>): void {
  crm.app.proxy.onRequest = async (request) => {
    const queries = 'queries' in request ? request.queries : [request]
    if (queries.some(({ query }) => writes.test(query))) await change()
  }
}
afterEach(() => {
  crm.app.proxy.onRequest = undefined
})

test('a merge whose loser changes between its round trips takes the new values', async () => {
  const [winner, loser] = [await crm.contact(), await crm.contact({ job_title: 'CEO' })]
  let changes = 0
  changeBefore(/merge_records/, async () => {
    if (changes++ < 3) await crm.rewrite('contacts', loser.id, { job_title: `Late ${changes}` })
  })
  const done = await merge(crm, 'contacts', winner.id, [loser.id])
  expect(done.field_changes.job_title).toMatchObject({ after: 'Late 3', from: [loser.id] })
})

test('a merge whose records never stop changing is refused, and nothing is written', async () => {
  const [winner, loser] = [await crm.contact(), await crm.contact({ job_title: 'CEO' })]
  let changes = 0
  changeBefore(/merge_records/, () => crm.rewrite('contacts', loser.id, { job_title: `Late ${changes++}` }))
  expect(await crm.ws.post('/contacts/merge', { winner_id: winner.id, loser_ids: [loser.id] })).toMatchObject(failed(409, 'CONFLICT'))
  expect(changes).toBeLessThan(25)
  expect(found(await crm.ws.get(`/contacts/${loser.id}`)).job_title).toMatch(/^Late/)
})

test('an import that another request starts between the round trips is not started twice', async () => {
  const { id } = await uploaded('First Name\nAna\n')
  let started = false
  changeBefore(/skips_automations\(\)/, async () => {
    if (started) return
    started = true
    found(await crm.ws.post(`/imports/${id}/start`))
  })
  expect(await crm.ws.post(`/imports/${id}/start`)).toMatchObject(failed(409, 'INVALID_STATE'))
})
