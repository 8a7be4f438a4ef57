import { expect, test } from 'vitest'
import { headerOf } from '../../../dev/gmail-world.ts'
import { setPersonalScopes } from '../../../dev/workspace.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { created, failed, found, type Row, refused, useCrm, uuid } from '../crm.ts'
import { mailing } from '../mailing.ts'
import { connecting, ME } from './connecting.ts'

const crm = useCrm({ own: true })
const box = connecting(crm)
const team = mailing(crm)
const FILE = { name: 'Plan – März.pdf', content_type: 'application/pdf', content: Buffer.from('%PDF-1.7').toString('base64') }

async function connected() {
  await box.reset()
  const mailbox = await box.connect()
  const client = `client-${mailbox.id}@example.com`
  const contact = await crm.contact({ email: client, alternate_emails: [`other-${client}`] })
  return { mailbox, client, contact }
}

test('an email of a contact arrives at once, from any of its addresses, with its files; others are not stored', async () => {
  const { mailbox, client, contact } = await connected()
  found(await box.send({ contact_id: contact.id }))
  const [sent] = box.gmail().sent(ME)
  box.gmail().answer(ME, sent!, 'Sounds good')
  expect(await box.push()).toBe(200)
  const [thread, ...others] = await box.threads()
  expect(others).toEqual([])
  expect(thread).toMatchObject({ subject: 'Your offer', direction: 'inbound', is_read: false, message_count: 2, private_to: crm.ws.userId })
  expect((await box.messages(thread!.id)).map(({ direction, body_text, contact_id }) => [direction, body_text, contact_id])).toEqual([
    ['outbound', 'Hello Ana', null],
    ['inbound', 'Sounds good', contact.id],
  ])
  box.gmail().receive(ME, { from: `"Müller, Ana" <other-${client}>`, subject: 'Grüße', text: 'Der Plan', attachments: [FILE] })
  box.gmail().receive(ME, { from: 'stranger@example.net', subject: 'Unknown' })
  box.gmail().receive(ME, { from: client, subject: 'Spam', labels: ['SPAM'] })
  expect([await box.push(), await box.push()]).toEqual([200, 200])
  const threads = await box.threads()
  expect(threads.map(({ subject }) => subject)).toEqual(['Grüße', 'Your offer'])
  const [message] = await box.messages(threads[0]!.id)
  expect(message).toMatchObject({
    from_email: `other-${client}`,
    from_name: 'Müller, Ana',
    contact_id: contact.id,
    body_text: 'Der Plan',
    has_attachment: true,
  })
  const [attachment] = message!.attachments
  expect(attachment).toMatchObject({ mimeType: 'application/pdf', size: 8 })
  const { url } = found(await crm.ws.get(`/email/attachments/${attachment.id}/download`))
  expect(await (await crm.app.fetch(new URL(url, 'http://local').pathname + new URL(url, 'http://local').search)).text()).toBe('%PDF-1.7')
  const { watch_expires_at } = found(await crm.ws.get(`/mailboxes/${mailbox.id}`))
  expect(Date.parse(watch_expires_at)).toBeGreaterThan(Date.now() + 6 * 86_400_000)
  const watches = () => crm.app.google.accepted.filter(({ route }) => route === 'gmail.watch').length
  expect(watches()).toBe(1)
  await box.later(5.5 * 1440)
  expect(watches()).toBe(1)
  await box.later(0.6 * 1440)
  expect(watches()).toBe(2)
  // One that the provider refuses is requested again after an hour.
  crm.app.google.fail('gmail.watch', '503')
  await box.later(6.1 * 1440)
  await box.later()
  expect(watches()).toBe(2)
  await box.later(60)
  expect(watches()).toBe(3)
})

test('an email that went to the team and to a mailbox is in both, and none of the team gets into a conversation of a mailbox', async () => {
  const { client, contact } = await connected()
  await box.send({ contact_id: contact.id, subject: 'Between us' })
  const [own] = (await box.threads()) as [Row]
  const both = { from: client, subject: 'To both', text: 'Hello all', messageId: `both-${client}` }
  await team.receive(both)
  box.gmail().receive(ME, both)
  await box.push()
  const threads = async () => (await box.threads()).map(({ subject, private_to }) => [subject, private_to]).toSorted()
  const expected = [
    ['Between us', crm.ws.userId],
    ['To both', null],
    ['To both', crm.ws.userId],
  ]
  expect(await threads()).toEqual(expected)
  // The address of a conversation names it.
  const to = `hello+${own.id.replaceAll('-', '')}@example.com`
  await team.receive({ from: client, to, subject: 'Re: Between us', text: 'To the team' })
  expect(await threads()).toEqual([...expected, ['Re: Between us', null]].toSorted())
})

test('without reports the mailbox is read, also when Gmail has forgotten the changes; no failure loses or doubles an email', async () => {
  const { client } = await connected()
  const subjects = async () => (await box.threads()).map(({ subject }) => subject).toSorted()
  box.gmail().receive(ME, { from: client, subject: 'One' })
  for (const [route, mode] of [
    ['gmail.history', '503'],
    ['gmail.get', 'quota'],
    ['gmail.history', 'drop'],
    ['token', '500'],
  ] as const) {
    if (route === 'token') crm.app.google.accounts.expireAccess()
    crm.app.google.fail(route, mode)
    await box.later()
    expect(await subjects(), mode).toEqual([])
  }
  await box.later()
  expect(await subjects()).toEqual(['One'])
  box.gmail().receive(ME, { from: client, subject: 'Two' })
  box.gmail().forget(ME)
  await box.later()
  expect(await subjects()).toEqual(['One', 'Two'])
  for (let n = 0; n < 3; n++) await box.push()
  expect(await crm.count('email_messages')).toBe(2)
  expect(await box.push('wrong-token-of-the-same-length')).toBe(404)
})

test('a mailbox is read to its last page, and the latest five pages when Gmail has forgotten the changes', async () => {
  const { client } = await connected()
  const arrived = async (count: number) => {
    const before = await crm.count('email_messages')
    for (let n = 0; n < count; n++) box.gmail().receive(ME, { from: client, subject: 'Page' })
    if (count > 10) box.gmail().forget(ME)
    await box.later()
    return (await crm.count('email_messages')) - before
  }
  box.gmail().pageSize = 2
  for (const count of [6, 7, 1]) expect(await arrived(count)).toBe(count)
  expect(await arrived(11)).toBe(10)
})

test('what a member sends at Gmail itself is in the conversation and on the timelines of its contacts, once', async () => {
  const { client, contact } = await connected()
  const second = await crm.contact({ email: `second-${client}` })
  const inReplyTo = `question-${contact.id}@outside.example`
  box.gmail().receive(ME, { from: client, subject: 'Question', messageId: inReplyTo })
  await box.push()
  const pushed = crm.app.google.pushes.length
  const answer = { to: `"Ana" <other-${client}>`, cc: [`second-${client}`], subject: 'Re: Question', text: 'The answer' }
  box.gmail().compose(ME, { ...answer, inReplyTo, attachments: [FILE] })
  expect(crm.app.google.pushes).toHaveLength(pushed + 1)
  box.gmail().compose(ME, { to: 'stranger@example.net', subject: 'Not ours' })
  for (const labels of [['DRAFT'], ['CHAT', 'SENT'], ['SENT', 'TRASH']])
    box.gmail().compose(ME, { to: client, subject: 'Left out', labels })
  const hidden = box.gmail().compose(ME, { to: 'stranger@example.net', bcc: [client], subject: 'Copy' })
  const [known, renamed] = [
    found(await box.send({ contact_id: contact.id, subject: 'One' })),
    found(await box.send({ to: client, subject: 'Two' })),
  ]
  await crm.app.owner.query("update email_messages set internet_id = 'ours@localhost' where message_id = $1", [renamed.id])
  await box.push()
  box.gmail().forget(ME)
  await box.later()
  const threads = await box.threads()
  expect(threads.map(({ subject, message_count }) => [subject, message_count]).toSorted()).toEqual([
    ...[
      ['Copy', 1],
      ['One', 1],
      ['Question', 2],
      ['Two', 1],
    ],
  ])
  expect(threads.map(({ id }) => id)).toEqual(expect.arrayContaining([known.thread_id, renamed.thread_id]))
  const [question, copy] = ['Question', 'Copy'].map((subject) => threads.find((one) => one.subject === subject)) as [Row, Row]
  expect(question).toMatchObject({
    direction: 'outbound',
    is_read: false,
    private_to: crm.ws.userId,
    contacts: [{ id: contact.id }, { id: second.id }],
  })
  expect((await box.messages(question.id))[1]).toMatchObject({
    direction: 'outbound',
    message_id: null,
    status: null,
    contact_id: null,
    from_email: ME,
    to_emails: [`other-${client}`],
    cc_emails: [`second-${client}`],
    body_text: 'The answer',
    attachments: [{ mimeType: 'application/pdf', size: 8 }],
  })
  const [composed] = (await box.messages(question.id))[1]!.attachments as [Row]
  const { url } = found(await crm.ws.get(`/email/attachments/${composed.id}/download`))
  expect(await (await crm.app.fetch(new URL(url).pathname + new URL(url).search)).text()).toBe('%PDF-1.7')
  const activities = async (id: string, ws: TestWorkspace = crm.ws) =>
    (found(await ws.get(`/contacts/${id}/activities`)) as Row[]).map(({ direction, subject }) => `${direction} ${subject}`).toSorted()
  expect(await activities(contact.id)).toEqual(['inbound Question', 'outbound Copy', 'outbound One', 'outbound Re: Question'])
  expect(await activities(second.id)).toEqual(['outbound Re: Question'])
  const colleague = await crm.ws.key()
  expect([await activities(contact.id, colleague), await activities(second.id, colleague)]).toEqual([[], []])
  expect(
    found(await crm.ws.post('/email/reply', { thread_id: copy.id, mode: 'personal', sender_user_id: crm.ws.userId, text: 'More' })),
  ).toMatchObject({ recipient_email: client })
  const reply = box.gmail().sent(ME).at(-1)!
  expect([reply.threadId, headerOf(reply, 'In-Reply-To')]).toEqual([hidden.threadId, headerOf(hidden, 'Message-ID')])
})

test('what is in a mailbox is seen by its member, and by a role that names the scope', async () => {
  const { client, contact } = await connected()
  const deal = await crm.opportunity()
  const sent = found(await box.send({ contact_id: contact.id, deal_id: deal.id, subject: 'Private offer', text: 'Secret words' }))
  box.gmail().answer(ME, box.gmail().sent(ME)[0]!, 'Secret answer')
  box.gmail().receive(ME, { from: client, subject: 'Private file', text: 'Secret too', attachments: [FILE] })
  await box.push()
  const colleague = await crm.ws.key()
  const role = created(await crm.ws.post('/roles', { name: 'Auditor', key: 'auditor', scopes: ['*:read'] }))
  await setPersonalScopes(crm.app.owner, crm.ws.id, role.key, ['personal-email:read'])
  const auditor = await crm.ws.key({ role: role.key, scopes: ['*:read', 'personal-email:read'] })
  const [file, thread] = await box.threads()
  const [withFile] = await box.messages(file!.id)
  const own = [`/email/threads/${thread!.id}`, `/email/threads/${thread!.id}/messages`, `/email/threads/${thread!.id}/history`]
  const { id: attachment } = withFile!.attachments[0]
  const files = [`/email/attachments/${attachment}/download`, `/files/${attachment}`, `/files/${attachment}/download`]
  const paths = [...own, `/messages/${sent.id}`, ...files]
  expect((found(await crm.ws.get('/files')) as Row[]).map(({ id }) => id)).toEqual([attachment])
  expect((found(await auditor.get('/files')) as Row[]).map(({ id }) => id)).toEqual([attachment])
  expect(found(await colleague.get('/files'))).toEqual([])
  for (const path of paths) {
    expect((await crm.ws.get(path)).status, path).toBe(200)
    expect((await auditor.get(path)).status, path).toBe(200)
    expect((await colleague.get(path)).status, path).toBe(404)
  }
  const lists = [
    ...[
      '/email/threads',
      '/email/threads?search=private',
      `/email/threads?contact_id=${contact.id}`,
      `/email/threads?participant=${client}`,
      '/email/logs',
    ],
    ...[
      `/contacts/${contact.id}/activities`,
      `/opportunities/${deal.id}/activities`,
      `/contacts/${contact.id}/timeline`,
      '/activities',
      '/messages',
    ],
    ...['/events?limit=100', `/events?entity_id=${thread!.id}`, `/contacts/${contact.id}/data`],
  ]
  const shown = async (ws: TestWorkspace, path: string) => {
    const { status, body } = await ws.get(path)
    return status === 404 ? '' : JSON.stringify(body)
  }
  for (const path of lists) {
    expect(await shown(colleague, path), path).not.toMatch(/Private|Secret/)
    const mine = await shown(crm.ws, path)
    if (mine !== '') expect(mine, path).toMatch(/Private|Secret/)
  }
  const search = { filter: { field: 'subject', op: 'contains', value: 'Private' } }
  expect(found(await colleague.post('/activities/search', search))).toEqual([])
  expect(found(await crm.ws.post('/activities/search', search))).toHaveLength(3)
  expect(await colleague.post('/email/reply', { thread_id: thread!.id, text: 'Hello' })).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  expect(await colleague.patch(`/email/threads/${thread!.id}`, { is_read: true })).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await colleague.post('/email/threads/mark-read', { all: true }))).toMatchObject({ updated: 0 })
  // Everybody reads what is remembered, so it is not learnt from a mailbox.
  for (const [source_type, source_id] of [
    ['conversation', thread!.id],
    ['message', withFile!.id],
    ['message', sent.id],
  ])
    expect(await crm.ws.post('/memory', { text: 'Prefers calls', source_type, source_id })).toMatchObject(refused('source_id'))
  const dry = await colleague.delete(`/contacts/${contact.id}?dry_run=true`)
  expect(JSON.stringify(dry.body)).not.toMatch(/Private|Secret/)
  // Whoever decides about a request of the member sees no more of what it would change.
  const held = await crm.ws.delete(`/contacts/${contact.id}?require_approval=true`)
  expect(JSON.stringify(held.body)).not.toMatch(/Private|Secret/)
  expect(JSON.stringify(found(await colleague.get(`/approvals/${held.body.approval_id}`)))).not.toMatch(/Private|Secret/)
})

test('a colleague who merges, deletes and restores the contact leaves the conversations to their member', async () => {
  const { client, contact } = await connected()
  box.gmail().receive(ME, { from: client, subject: 'Private' })
  await box.push()
  const colleague = await crm.ws.key()
  const winner = await crm.contact({ email: `winner-${contact.id}@example.com` })
  found(await colleague.post('/contacts/merge', { winner_id: winner.id, loser_ids: [contact.id] }))
  const list = async () => (found(await crm.ws.get(`/email/threads?contact_id=${winner.id}`)) as Row[]).map(({ subject }) => subject)
  expect(await list()).toEqual(['Private'])
  found(await colleague.delete(`/contacts/${winner.id}`))
  expect(await crm.count('email_threads')).toBe(0)
  found(await colleague.post(`/contacts/${winner.id}/restore`))
  expect(await list()).toEqual(['Private'])
  expect(found(await colleague.get(`/contacts/${winner.id}/activities`))).toEqual([])
  expect(found(await crm.ws.get(`/contacts/${winner.id}/activities`))).toMatchObject([{ id: uuid, subject: 'Private' }])
})

test('an email that the database refuses again and again does not keep away the others', async () => {
  const { client } = await connected()
  for (const subject of ['Poison', 'After it']) box.gmail().receive(ME, { from: client, subject, text: 'Hello' })
  crm.app.proxy.onRequest = (request) => {
    for (const query of 'queries' in request ? request.queries : [request])
      if (query.query.includes('receive_mailbox_email') && JSON.stringify(query.params).includes('Poison'))
        query.query = 'select from no_such_table'
  }
  await box.push()
  expect(await box.threads()).toEqual([])
  for (let n = 0; n < 4; n++) await box.later()
  crm.app.proxy.onRequest = undefined
  expect((await box.threads()).map(({ subject }) => subject)).toEqual(['After it'])
})
