import { expect, test } from 'vitest'
import { campaigning, LINK } from './campaigning.ts'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { mailing } from './mailing.ts'

const crm = useCrm()
const { path, draft, people, send, sender, sentOf } = campaigning(crm)
const mail = mailing(crm)
const preflight = async (id: string) => found(await crm.ws.get(path(id, '/preflight'))) as Row
let last = 0
const newSender = async (from_name: string): Promise<Row> =>
  created(
    await crm.ws.post('/email/configs', {
      from_email_handle: `offers-${Date.now().toString(36)}-${++last}`,
      from_name,
      staff_email: 'team@example.com',
    }),
  )

test('a campaign has the sender of its workspace, and replies to it go into the inbox', async () => {
  const first = await sender()
  const second = await newSender('Harbour Offers')
  await people(1, `sender-${crm.ws.id}`)
  const { id } = await draft()
  await send(id)
  await crm.app.drain()
  expect(sentOf(id)).toMatchObject([{ From: `"Harbour" <${first.from_email}>`, ReplyTo: 'team@example.com' }])
  await mail.inbox()
  const other = await draft({ config_id: second.id })
  expect(other.config_id).toBe(second.id)
  await send(other.id)
  await crm.app.drain()
  const [sent] = sentOf(other.id)
  expect(sent).toMatchObject({ From: `"Harbour Offers" <${second.from_email}>`, ReplyTo: second.from_email })
  await mail.reply(sent!.To as string, { text: 'Two of them, please' })
  const [thread] = await mail.threads()
  expect((await mail.messages(thread!.id)).map(({ body_text }: Row) => body_text)).toEqual(['Two of them, please'])
  const test_ = found(await crm.ws.post(path(other.id, '/test-send'), { email: 'me@example.com' })) as Row
  await crm.app.drain()
  expect(test_.recipients).toHaveLength(1)
  expect(mail.emailsTo('me@example.com')).toMatchObject([{ From: `"Harbour Offers" <${second.from_email}>` }])
})

test('what the preflight says and what a send does are the same: no sender, one that is not verified, an audience of nobody', async () => {
  const fields = { name: 'Spring', subject: 'Hello', body_html: `<p>Hi</p>${LINK}`, segment_filter: { tags: ['News'] } }
  const { id } = created(await crm.ws.post('/email-campaigns', fields))
  await people(1, `preflight-${crm.ws.id}`)
  const check = async (field: string | null) => {
    const { ready, issues } = await preflight(id)
    expect([ready, issues.map((issue: Row) => issue.path)]).toEqual([field === null, field === null ? [] : [field]])
    if (field !== null) expect(await crm.ws.post(path(id, '/send'))).toMatchObject(refused(field))
  }
  await check('config_id')
  const { id: config } = await sender()
  await check(null)
  await crm.app.owner.query("update email_configs set from_email = 'hello@elsewhere.example' where id = $1", [config])
  await check('config_id')
  found(await crm.ws.patch(`/email/configs/${config}`, { from_email_handle: `again-${Date.now().toString(36)}` }))
  await check(null)
  found(await crm.ws.patch(path(id), { segment_filter: { tags: ['Nobody has it'] } }))
  await check('segment_filter')
  found(await crm.ws.patch(path(id), { segment_filter: { tags: ['News'] } }))
  await check(null)
  expect(await send(id)).toMatchObject({ status: 'sending' })
})

test('the sender of another workspace is refused, and one that is deleted leaves the first one', async () => {
  const other = await crm.app.workspace()
  const foreign = created(
    await other.post('/email/configs', { from_email_handle: `foreign-${other.id}`, from_name: 'Other', staff_email: 'o@example.com' }),
  )
  expect(await crm.ws.post('/email-campaigns', { name: 'Spring', config_id: foreign.id })).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  const first = await sender()
  const second = await newSender('Gone')
  await people(1, `gone-${crm.ws.id}`)
  const { id } = await draft({ config_id: second.id })
  found(await crm.ws.delete(`/email/configs/${second.id}`))
  await send(id)
  await crm.app.drain()
  expect(sentOf(id)).toMatchObject([{ From: `"Harbour" <${first.from_email}>` }])
})
