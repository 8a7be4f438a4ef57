import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { inboundEmail } from '../../dev/inbound-mail.ts'
import { failed, found, ids, type Row, refused, useCrm, uuid } from './crm.ts'
import { mailing } from './mailing.ts'

const crm = useCrm({ own: true })
const mail = mailing(crm)
let people = 0
const person = (fields: Row = {}) => crm.contact({ email: `inbound-${++people}@example.com`, ...fields })
const file = (name: string, text: string) => ({ Name: name, Content: Buffer.from(text).toString('base64'), ContentType: 'text/plain' })

test('a reply is found in its thread by its headers, with its attachment, an activity and an event', async () => {
  const [contact, deal] = [await person(), await crm.opportunity()]
  await mail.inbox()
  const log = await mail.send({ contact_id: contact.id, deal_id: deal.id })
  found(await crm.ws.patch(`/email/threads/${log.thread_id}`, { status: 'archived' }))
  const html = '<p onclick="x()">Yes</p><img src="https://tracker.example.com/1.png"><script>alert(1)</script>'
  await mail.reply(contact.email, {
    to: 'hello@example.com',
    name: 'Ana Lee',
    html,
    text: 'Yes\nOn Monday you wrote:\n> Hello',
    attachments: [file('offer.txt', 'Signed')],
  })
  const [thread] = await mail.threads()
  expect(thread).toMatchObject({
    id: log.thread_id,
    status: 'active',
    is_read: false,
    direction: 'inbound',
    message_count: 2,
    snippet: 'Yes',
  })
  const [, received] = await mail.messages(log.thread_id)
  expect(received).toMatchObject({
    direction: 'inbound',
    message_id: null,
    status: null,
    contact_id: contact.id,
    from_email: contact.email,
    from_name: 'Ana Lee',
    subject: 'Re: Your offer',
    has_attachment: true,
    attachment_filename: 'offer.txt',
    body_html: '<p>Yes</p><img data-remote-src="https://tracker.example.com/1.png">',
    attachments: [{ id: uuid, name: 'offer.txt', mimeType: 'text/plain', size: 6 }],
  })
  const { url } = found(await crm.ws.get(`/email/attachments/${received!.attachments[0].id}/download`))
  expect(await (await crm.app.fetch(new URL(url).pathname + new URL(url).search)).text()).toBe('Signed')
  expect(found(await crm.ws.get(`/contacts/${contact.id}/activities`))).toMatchObject([
    { activity_type: 'email', direction: 'inbound', body: 'Yes', deal_id: deal.id, metadata: { thread_id: log.thread_id } },
    { activity_type: 'email', direction: 'outbound' },
  ])
  expect((await crm.events(log.thread_id)).map(({ type }) => type)).toContain('email.received')
  const answer = found(await crm.ws.post('/email/reply', { thread_id: log.thread_id, text: 'Great' }))
  expect(answer).toMatchObject({
    type: 'reply',
    status: 'sent',
    thread_id: log.thread_id,
    recipient_email: contact.email,
    subject: 'Re: Your offer',
    deal_id: deal.id,
  })
  const headers = Object.fromEntries(
    mail
      .emailsTo(contact.email)
      .at(-1)!
      .Headers!.map(({ Name, Value }) => [Name, Value]),
  )
  const [first] = mail.emailsTo(contact.email)
  const sentId = first!.Headers!.find(({ Name }) => Name === 'Message-ID')!.Value
  expect(headers.References).toMatch(new RegExp(`^${sentId} ${headers['In-Reply-To']}$`))
  expect((await mail.messages(log.thread_id)).map(({ direction }) => direction)).toEqual(['outbound', 'inbound', 'outbound'])
})

test('a sender is recognised by any address, is answered at its email, and an unknown one begins a thread of nobody', async () => {
  const contact = await person({ alternate_emails: ['ana.private@example.org'] })
  await mail.receive({ from: 'Ana.Private@example.org', to: 'hello@example.com', subject: 'Question', text: 'Is it ready?' })
  const [thread] = await mail.threads()
  expect(thread).toMatchObject({ subject: 'Question', is_read: false, contacts: [{ id: contact.id }], contact_id: contact.id })
  expect(found(await crm.ws.post('/email/reply', { thread_id: thread!.id, text: 'Yes' })).recipient_email).toBe(contact.email)
  expect(mail.emailsTo('ana.private@example.org')).toEqual([])
  // Two contacts have the address: the one that is not archived is the sender.
  const former = await person({ email: 'both@example.org' })
  found(await crm.ws.patch(`/contacts/${former.id}`, { archived: true }))
  const current = await person({ alternate_emails: ['both@example.org'] })
  await mail.receive({ from: 'both@example.org', to: 'hello@example.com', subject: 'Whose', text: 'Mine' })
  expect((await mail.threads())[0]).toMatchObject({ subject: 'Whose', contact_id: current.id })
  await mail.receive({ from: 'stranger@example.net', to: 'hello@example.com', subject: '', text: 'Hi' })
  const [unknown] = await mail.threads()
  expect(unknown).toMatchObject({ subject: '(no subject)', contacts: [], participants: ['hello@example.com', 'stranger@example.net'] })
  expect(found(await crm.ws.post('/email/reply', { thread_id: unknown!.id, html: '<p>Hello</p>' })).recipient_email).toBe(
    'stranger@example.net',
  )
  expect(await crm.ws.post('/email/reply', { thread_id: randomUUID(), text: 'Hi' })).toMatchObject(refused('thread_id'))
})

test('without headers the address names the thread, but only for its participants', async () => {
  const contact = await person()
  await mail.inbox()
  const log = await mail.send({ contact_id: contact.id })
  const to = mail.emailsTo(contact.email)[0]!.ReplyTo as string
  expect(to).toContain(`+${log.thread_id.replaceAll('-', '')}@`)
  await mail.receive({ from: contact.email, to, subject: 'Re: Your offer', text: 'Yes' })
  await mail.receive({ from: 'intruder@example.net', to, subject: 'Re: Your offer', text: 'Pay here' })
  expect((await mail.messages(log.thread_id)).map(({ from_email }) => from_email)).toEqual([log.sender_email, contact.email])
  expect(await mail.threads()).toHaveLength(2)
})

test('an email is stored once, however often it is posted and processed; a bad one does not hold up the others', async () => {
  const contact = await person()
  const [once, again] = [inboundEmail({ from: contact.email, text: 'Once' }), inboundEmail({ from: contact.email, text: 'Copy' })]
  again.Headers = once.Headers
  const bad = { ...inboundEmail({ from: contact.email }), FromFull: { Email: 'nobody' }, From: '<>' }
  const answers = [await mail.post(once), await mail.post(once), await mail.post(again), await mail.post(bad)]
  expect(answers.map(({ status, body }) => [status, body.data.duplicate])).toEqual([
    [200, false],
    [200, true],
    [200, false],
    [200, false],
  ])
  await crm.app.drain()
  const message = { type: 'work.run', kind: 'email.receive', workspace_id: crm.ws.id, item_id: answers[0]!.body.data.id }
  await crm.app.deliver('messages', [message, { ...message, inbound_email_id: randomUUID() }, message])
  expect((await mail.threads()).map(({ message_count }) => message_count)).toEqual([1])
  const { rows } = await crm.app.owner.query('select state, error from inbound_emails where workspace_id = $1 order by id', [crm.ws.id])
  expect(rows.map(({ state }) => state)).toEqual(['done', 'done', 'failed'])
  const { objects } = await (await crm.app.files()).list({ prefix: `emails/${crm.ws.id}/` })
  expect(objects, 'only what could not be processed is kept').toHaveLength(1)
})

test('a lost message is found by cron', async () => {
  const contact = await person()
  await crm.app.capture(true)
  found((await mail.post(inboundEmail({ from: contact.email, text: 'Lost' }))) as never)
  await crm.app.capture(false)
  expect(await mail.threads()).toEqual([])
  await crm.app.owner.query("update inbound_emails set created_at = now() - interval '2 minutes' where workspace_id = $1", [crm.ws.id])
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(await mail.threads()).toHaveLength(1)
})

test('an inbox takes only its own token, which can be rotated, and large attachments', async () => {
  const path = await mail.inbox()
  const posted = inboundEmail({ from: 'ana@example.com' })
  const other = (text: string) => `${path.slice(0, -1)}${text}`
  expect(await mail.post(posted, other(path.endsWith('0') ? '1' : '0'))).toMatchObject(failed(401, 'UNAUTHENTICATED'))
  const rotated = { path: await mail.inbox(true), created_at: expect.any(String) }
  expect(await mail.post(posted, path)).toMatchObject(failed(401, 'UNAUTHENTICATED'))
  expect(await mail.post(posted, rotated.path)).toMatchObject({ status: 200 })
  expect(found(await crm.ws.get('/email/inbox'))).toEqual({ is_connected: true, path: null, created_at: rotated.created_at })
  expect(await mail.post('{', rotated.path)).toMatchObject(failed(400, 'INVALID_JSON'))
  expect(await mail.post({ From: 'ana@example.com' }, rotated.path)).toMatchObject(refused('MessageID'))
  const huge = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"Attachments":[{"Content":"',
    declares: 53_400_000,
  }
  expect((await crm.app.client(rotated.path, huge)).status, 'a file of 40 MB').toBe(413)
  const large = { ...file('plan.pdf', ''), Content: Buffer.alloc(9_000_000, 1).toString('base64') }
  await mail.receive({ from: 'ana@example.com', subject: 'Large', attachments: [large] })
  const [thread] = await mail.threads('search=large')
  expect(await mail.messages(thread!.id)).toMatchObject([{ attachments: [{ name: 'plan.pdf', size: 9_000_000 }] }])
})

test('hostile HTML is made harmless, and neither its nesting nor its size is a problem', async () => {
  const contact = await person()
  const cases: [string, string | null][] = [
    ['<p>a<!-- x --></p><form action="https://evil.example"><input name="p">b</form>', '<p>a</p>b'],
    [
      '<a href="javascript:alert(1)">a</a><a href="java&#115;cript:x">b</a>',
      '<a rel="noopener noreferrer nofollow">a</a><a rel="noopener noreferrer nofollow">b</a>',
    ],
    ['<svg><script>alert(1)</script></svg><math><mi>x</mi></math><iframe src="x"></iframe>c', 'c'],
    [
      '<div style="background:url(https://t.example/x)">d</div><div style="color:red">e</div>',
      '<div>d</div><div style="color:red">e</div>',
    ],
    ['<img src=x onerror=alert(1)><IMG SRC="cid:1">', '<img><img src="cid:1">'],
    ['<p>Hello</p><img src=x onerror="alert(1)" ', '<p>Hello</p>'],
    ['</div></td><b>open<p>one', '<b>open<p>one</p></b>'],
    [`${'<table><tr><td>'.repeat(10_000)}deep`, null],
  ]
  for (const [html, safe] of cases) {
    await mail.receive({ from: contact.email, subject: 'HTML', html })
    const [thread] = await mail.threads('status=active')
    const [{ body_html, body_text }] = (await mail.messages(thread!.id)) as [Row]
    if (safe === null) expect(`${body_html ?? ''}${body_text}`).toContain('deep')
    else expect(body_html).toBe(safe)
  }
})

test('line breaks of a sender add no header to the answer; 1,000 recipients and a look-alike domain do no harm', async () => {
  const contact = await person({ email: 'ana@apple.example' })
  const bcc = '\r\nBcc: all@example.com'
  const cc = Array.from({ length: 1000 }, (_, n) => `copy-${n}@example.org`)
  await mail.receive({ from: contact.email, name: `Ana${bcc}`, to: 'hello@example.com', subject: `Plan${bcc}`, text: 'See', cc })
  const [thread] = await mail.threads()
  const [{ from_name, subject, cc_emails }] = (await mail.messages(thread!.id)) as [Row]
  expect([from_name, subject, cc_emails.length < 1000]).toEqual(['Ana Bcc: all@example.com', 'Plan Bcc: all@example.com', true])
  found(await crm.ws.post('/email/reply', { thread_id: thread!.id, text: 'Thanks' }))
  const [answer] = mail.emailsTo(contact.email)
  expect([answer?.Subject, answer?.Cc ?? '', answer?.Bcc ?? '']).toEqual(['Re: Plan Bcc: all@example.com', '', ''])
  // The first letter of the domain is Cyrillic.
  await mail.receive({ from: 'ana@аpple.example', to: 'hello@example.com', subject: 'Invoice', text: 'Pay here' })
  const [other] = await mail.threads()
  expect(other).toMatchObject({ subject: 'Invoice', contacts: [], participants: ['hello@example.com', 'ana@xn--pple-43d.example'] })
  expect(found(await crm.ws.get(`/contacts/${contact.id}/activities`))).toHaveLength(2)
})

test('threads are found by subject, status, direction, link and participant, marked, and deleted with their contact', async () => {
  const [ana, ben] = [await person(), await person({ first_name: 'Ben' })]
  await mail.inbox()
  const first = await mail.send({ contact_id: ana.id, subject: 'Kitchen renovation', cc: ['team@example.org'] })
  const second = await mail.send({ contact_id: ben.id, subject: 'Garden plans' })
  await mail.reply(ana.email)
  const of = async (query: string) => ids(await mail.threads(query))
  expect(await of('')).toEqual([first.thread_id, second.thread_id])
  for (const query of [
    ...['search=renovation', 'search=kitch', `contact_id=${ana.id}`, 'direction=inbound', 'is_read=false', 'participant=Team@example.org'],
    ...[`contact_id=${ana.id}&participant=${ana.email}`, `search=kitchen&contact_id=${ana.id}`, `contact_id=${ana.id}&status=active`],
  ])
    expect(await of(query), query).toEqual([first.thread_id])
  expect(await of(`contact_id=${ben.id}&direction=inbound`)).toEqual([])
  expect(await of(`contact_id=${ben.id}&search=kitchen`)).toEqual([])
  expect(await crm.ws.get('/email/threads?direction=sideways')).toMatchObject(refused('direction'))
  const [page] = [await crm.ws.get(`/email/threads?limit=1`)]
  expect(ids(found(await crm.ws.get(`/email/threads?limit=1&after=${page.body.page.next}`)))).toEqual([second.thread_id])
  const mark = async (body: Row) => found(await crm.ws.post('/email/threads/mark-read', body))
  expect(await mark({ thread_ids: [first.thread_id, second.thread_id] })).toEqual({ updated: 1, has_more: false })
  expect(await mark({ all: true })).toEqual({ updated: 0, has_more: false })
  expect(await crm.ws.post('/email/threads/mark-read', { thread_ids: [randomUUID()] })).toMatchObject(refused('thread_ids.0'))
  expect(await crm.ws.post('/email/threads/mark-read', {})).toMatchObject(refused('thread_ids'))
  const path = `/email/threads/${first.thread_id}`
  for (const change of [{ is_read: false }, { status: 'spam' }, { status: 'archived' }, { status: 'active' }])
    expect(found(await crm.ws.patch(path, change))).toMatchObject(change)
  expect(await mark({ all: true })).toEqual({ updated: 1, has_more: false })
  found(await crm.ws.delete(`/contacts/${ana.id}`))
  expect(await crm.ws.get(path)).toMatchObject(failed(404, 'NOT_FOUND'))
  found(await crm.ws.post(`/contacts/${ana.id}/restore`))
  expect(found(await crm.ws.get(path))).toMatchObject({ contacts: [{ id: ana.id }] })
  expect(await mail.messages(first.thread_id)).toHaveLength(2)
  found(await crm.ws.post('/contacts/merge', { winner_id: ben.id, loser_ids: [ana.id] }))
  expect(await of(`contact_id=${ben.id}`)).toEqual([first.thread_id, second.thread_id])
})

test('what is posted and is no email with an id is refused', async () => {
  const odd = [null, [], 'text', 7, {}, { MessageID: null }, { MessageID: 7 }, { MessageID: '' }, { MessageID: 'a b' }]
  for (const body of [...odd, { MessageID: 'm'.repeat(101) }]) {
    const answer = await mail.post(JSON.stringify(body))
    expect([body, answer]).toMatchObject([body, refused('MessageID')])
  }
  expect(await mail.post({ MessageID: 'm'.repeat(100) })).toMatchObject({ status: 200 })
})
