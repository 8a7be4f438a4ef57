import { expect, test } from 'vitest'
import { found, type Row, useCrm } from '../crm.ts'
import { merge } from '../merging.ts'
import { asking } from './asking.ts'

/** People who were each asked for a review, and turn out to be one. */
const crm = useCrm({ own: true })
const { mail, ready, person, ask, linked, later, background, request, write, linkTo } = asking(crm)
const quietHours = async (quiet_hours: Row | null) => found(await crm.ws.patch('/company/crm-settings', { quiet_hours }))
const states = (requests: Row[]) => Promise.all(requests.map(async ({ id }) => (await request(id)).status))

test('one person gets one request and one reminder, whoever of them was asked', async () => {
  await ready()
  await quietHours({ from: '00:00', to: '23:59' })
  const [ana, same] = [await person(), await person()]
  const requests: Row[] = []
  for (const { id } of [ana, same]) requests.push(found(await ask({ contact_ids: [id] })).results[0])
  await background()
  expect(mail.emailsTo(ana.email)).toEqual([])
  await merge(crm, 'contacts', ana.id, [same.id])
  await quietHours(null)
  await later()
  expect(mail.emailsTo(ana.email)).toHaveLength(1)
  expect(await states(requests)).toEqual(['sent', 'stopped'])
  await later()
  await later()
  expect(mail.emailsTo(ana.email)).toHaveLength(2)
  expect([await states(requests), (await request(requests[1]?.id)).reason]).toEqual([['reminded', 'stopped'], 'asked_before'])
})

test('after the review of one request there is no reminder of the other', async () => {
  await ready()
  const [ana, same] = [await person(), await person()]
  const requests: Row[] = []
  for (const one of [ana, same]) requests.push((await linked(one)).request)
  const path = linkTo(same.email)
  await merge(crm, 'contacts', ana.id, [same.id])
  expect((await write(path)).status).toBe(303)
  await later()
  expect(mail.emailsTo(ana.email)).toHaveLength(1)
  expect(await states(requests)).toEqual(['stopped', 'reviewed'])
})
