import { expect, test, vi } from 'vitest'
import { created, found, ids, type Row, useCrm } from './crm.ts'
import { messaging } from './messaging.ts'
import { whileLocked } from './waiting.ts'

const crm = useCrm({ own: true })
const { emailsTo, later } = messaging(crm)
let people = 0

const offer = (...templates: Row[]) => crm.ws.put('/company/birthday-messages', templates).then(found)
/** The days are of 2055, which has the calendar of 2027: what is to be sent on a day that has gone by is not sent. */
const greeting = { year: 0, email_subject: 'Happy birthday, {first_name}!', email_body: 'All the best from {company_name}.' }
/** A contact with a birthday, by default in Sydney. */
const person = (birthday: string, fields: Row = {}) =>
  crm.contact({ email: `celebrant-${++people}@example.com`, date_of_birth: birthday, timezone: 'Australia/Sydney', ...fields })
/** A person whose relationship began at a time that is still to come, which the API refuses. */
async function since(began: string, birthday: string, fields: Row = {}): Promise<Row> {
  const contact = await person(birthday, fields)
  await crm.app.owner.query('update contacts set relationship_started_at = $2 where id = $1', [contact.id, began])
  return contact
}
async function tick(...times: string[]) {
  for (const time of times) await crm.app.cron('* * * * *', new Date(time))
  await crm.app.drain()
}
const received = (...contacts: Row[]) => contacts.map(({ email }) => emailsTo(email).length)
const deliveries = async (contact: Row) => found(await crm.ws.get(`/company/birthday-messages/deliveries?contact_id=${contact.id}`))
const counts = async () =>
  (found(await crm.ws.get('/company/birthday-messages/counts')) as Row[])
    .map(({ day, channel, result, contacts }) => `${day} ${channel} ${result} ${contacts}`)
    .sort()

test('each contact is reached at eight in the morning of its own zone', async () => {
  await offer(greeting)
  const auckland = await person('1990-01-15', { timezone: 'Pacific/Auckland' })
  const honolulu = await person('1980-01-15', { timezone: 'Pacific/Honolulu' })
  const another = await person('1980-01-16')
  await tick('2055-01-14T18:59:00Z')
  expect(received(auckland, honolulu, another)).toEqual([0, 0, 0])
  await tick('2055-01-14T19:00:00Z')
  expect(received(auckland, honolulu, another)).toEqual([1, 0, 0])
  await tick('2055-01-14T19:01:00Z', '2055-01-15T02:00:00Z', '2055-01-15T17:59:00Z')
  expect(received(auckland, honolulu, another)).toEqual([1, 0, 0])
  await tick('2055-01-15T18:00:00Z', '2055-01-15T18:01:00Z', '2055-01-16T18:00:00Z')
  // The birthday on the 16th in Sydney was missed: the tick of the 17th comes too late.
  expect(received(auckland, honolulu, another)).toEqual([1, 1, 0])
  const [email] = emailsTo(auckland.email)
  expect(email).toMatchObject({ Subject: 'Happy birthday, Ana!', Tag: 'birthday' })
  const [delivery] = await deliveries(auckland)
  expect(delivery).toMatchObject({ day: '2055-01-15', channel: 'email', result: 'queued' })
  expect(found(await crm.ws.get(`/messages/${delivery!.message_id}`))).toMatchObject({
    status: 'sent',
    purpose: 'birthday',
    contact_id: auckland.id,
    expires_at: '2055-01-15T07:00:00.000Z',
  })
  expect(await counts()).toEqual(['2055-01-15 email queued 2'])
})

test('doubled and overlapping ticks, and ticks that die, send one message in a year', async () => {
  await offer(greeting)
  const contact = await person('1990-03-10')
  const at = '2055-03-09T22:00:00Z'
  // One tick claims the workspace and dies; a second one loses all answers of the database.
  await crm.app.owner.query(`select claim_birthdays('2055-03-09T21:57:00Z', '{310}', 100)`)
  await tick(at)
  expect(received(contact)).toEqual([0])
  crm.app.proxy.outage = 'lose_answer'
  await crm.app.cron('* * * * *', new Date('2055-03-09T22:02:00Z'))
  crm.app.proxy.outage = 'none'
  await Promise.all(['22:08', '22:08', '22:08', '22:09'].map((time) => tick(`2055-03-09T${time}:00Z`)))
  await later(new Date('2055-03-09T22:20:00Z'))
  expect(received(contact)).toEqual([1])
  expect(await deliveries(contact)).toHaveLength(1)
  expect(await counts()).toEqual(['2055-03-10 email queued 1'])
  // A birthday that moves to a later day of the year is no second one, and neither is a zone in which the day is not over.
  found(await crm.ws.patch(`/contacts/${contact.id}`, { timezone: 'Pacific/Honolulu' }))
  await tick('2055-03-10T19:00:00Z')
  found(await crm.ws.patch(`/contacts/${contact.id}`, { date_of_birth: '1990-03-20', timezone: 'Australia/Sydney' }))
  await tick('2055-03-19T22:00:00Z')
  expect(received(contact)).toEqual([1])
  await tick('2056-03-19T22:00:00Z')
  expect(received(contact)).toEqual([2])
})

test('two ticks that have both found a contact due save one message, and count it once', async () => {
  await offer({ ...greeting, sms_body: 'Happy birthday' })
  const contact = await person('1990-03-11')
  const at = new Date('2055-03-10T22:00:00Z')
  const schedule = 'birthday_schedules set next_at = $2 where workspace_id = $1'
  const lock = 'select from contacts where id = $1 for update'
  const second = async () => {
    // The first tick has claimed the workspace, which becomes due again as if its claim had ended.
    await vi.waitFor(async () => {
      const { rowCount } = await crm.app.owner.query(`update ${schedule} and next_at > $2`, [crm.ws.id, at])
      expect(rowCount).toBe(1)
    })
    await crm.app.cron('* * * * *', at)
  }
  await whileLocked(crm, [[lock, [contact.id]]], [() => crm.app.cron('* * * * *', at), second])
  await crm.app.drain()
  await later(at)
  expect(received(contact)).toEqual([1])
  expect(await counts()).toEqual(['2055-03-11 email queued 1', '2055-03-11 sms channel_not_configured 1'])
})

test('an answer of the provider that is lost sends no second message, and a dead Worker loses none', async () => {
  await offer(greeting)
  const [lost, dead] = [await person('1990-04-02'), await person('1990-04-03')]
  crm.app.email.fail('drop', 1, true)
  await tick('2055-04-01T21:00:00Z')
  await later(new Date('2055-04-01T21:05:00Z'))
  await crm.app.cron('* * * * *', new Date('2055-04-02T21:00:00Z'))
  await crm.app.restart()
  for (const minute of ['06', '12']) await later(new Date(`2055-04-02T21:${minute}:00Z`))
  await later(new Date('2055-04-02T21:18:00Z'))
  expect(received(lost, dead)).toEqual([1, 1])
})

test('a missed morning is made up for on the same day, within the allowed hours, and never later', async () => {
  await offer(greeting)
  const [afternoon, night, next] = [await person('1990-05-03'), await person('1990-05-04'), await person('1990-05-05')]
  await tick('2055-05-03T09:59:00Z')
  expect(received(afternoon)).toEqual([1])
  await tick('2055-05-04T10:00:00Z', '2055-05-04T13:30:00Z', '2055-05-05T21:30:00Z', '2055-05-06T01:00:00Z')
  expect(received(night, next)).toEqual([0, 0])
  // Added, or given templates, in the course of the day: within the hour, or at once.
  const late = await person('1990-05-07')
  await tick('2055-05-06T23:00:00Z')
  const later = await person('1990-05-07')
  await tick('2055-05-06T23:30:00Z')
  expect(received(late, later)).toEqual([1, 0])
  await tick('2055-05-07T00:00:00Z')
  expect(received(late, later)).toEqual([1, 1])
  // Quiet hours in the morning put it off; those of the whole day prevent it.
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: { from: '22:00', to: '10:30' } }))
  const [put_off, prevented] = [await person('1990-05-10'), await person('1990-05-11')]
  await tick('2055-05-09T23:00:00Z')
  expect(received(put_off)).toEqual([0])
  await tick('2055-05-10T00:30:00Z')
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: { from: '05:00', to: '04:00' } }))
  await tick('2055-05-11T00:00:00Z', '2055-05-11T13:00:00Z', '2055-05-11T18:30:00Z')
  expect(received(put_off, prevented)).toEqual([1, 0])
})

test('a birthday on 29 February is on the 28th in common years', async () => {
  await offer({ ...greeting, email_body: '{age}' })
  const leap = await person('2000-02-29')
  await tick('2055-02-26T22:00:00Z')
  expect(received(leap)).toEqual([0])
  await tick('2055-02-27T22:00:00Z')
  expect(emailsTo(leap.email).map(({ TextBody }) => TextBody)).toEqual(['55'])
  await tick('2055-02-28T22:00:00Z', '2056-02-27T22:00:00Z')
  expect(received(leap)).toEqual([1])
  await tick('2056-02-28T22:00:00Z')
  expect(emailsTo(leap.email).map(({ TextBody }) => TextBody)).toEqual(['55', '56'])
  const common = await person('2001-02-28')
  await tick('2056-02-28T23:00:00Z', '2057-02-27T22:00:00Z')
  expect(received(common)).toEqual([1])
})

test('the template is that of the years of the relationship, its tags are filled, and values are not markup', async () => {
  await offer(
    { year: 1, email_subject: 'One\n', email_body: '<p style="x{color:red}">Dear {first_name} {last_name}, {age}!</p>' },
    { year: 3, email_body: 'Three for {first_name}' },
  )
  const born = '1604-06-10'
  const all: Row[] = []
  for (const years of [1, 2, 3, 9]) all.push(await since(`${2055 - years}-06-01T00:00:00Z`, born, { last_name: '<b>{age}</b>' }))
  const stranger = await person(born, { relationship_started_at: null })
  await crm.app.owner.query(`update contacts set relationship_started_at = null where id = $1`, [stranger.id])
  // It began later in the year: two years are complete, and not three.
  const almost = await since('2052-06-11T00:00:00Z', born)
  await tick('2055-06-09T22:00:00Z')
  const subjects = [...all, stranger, almost].map(({ email }) => emailsTo(email).map(({ Subject }) => Subject))
  expect(subjects).toEqual([['One'], ['One'], ['Happy birthday'], ['Happy birthday'], ['One'], ['One']])
  expect(emailsTo(all[0]!.email)[0]).toMatchObject({
    TextBody: 'Dear Ana <b>{age}</b>, !',
    HtmlBody: '<p style="x{color:red}">Dear Ana &lt;b&gt;{age}&lt;/b&gt;, !</p>',
  })
})

test('who is not reached is counted by reason, and a skipped year is not used up', async () => {
  await offer({ ...greeting, sms_body: 'Happy birthday' })
  const day = '1990-07-01'
  const well = await since('2055-06-01T00:00:00Z', day, { phone: '+61412345678' })
  const out = await person(day, { email_unsubscribed: true })
  found(await crm.ws.patch(`/contacts/${(await person(day)).id}`, { archived: true }))
  await person(day, { email: null })
  const blocked = await person(day)
  created(await crm.ws.post('/suppressions', { channel: 'email', address: blocked.email, reason: 'hard_bounce' }))
  const preview = found(await crm.ws.get('/company/birthday-messages/preview?date=2055-07-01&limit=3'))
  const rest = await crm.ws.get('/company/birthday-messages/preview?date=2055-07-01')
  expect(preview).toHaveLength(3)
  expect(preview[0]).toMatchObject({
    contact_id: well.id,
    years: 0,
    template_year: 0,
    timezone: 'Australia/Sydney',
    send_at: '2055-06-30T22:00:00.000Z',
    already_sent: false,
    messages: [
      { channel: 'email', result: 'queued', recipient: well.email, subject: 'Happy birthday, Ana!' },
      { channel: 'sms', result: 'channel_not_configured', recipient: '+61412345678', text: 'Happy birthday' },
    ],
  })
  await tick('2055-06-30T22:00:00Z', '2055-06-30T23:00:00Z', '2055-07-01T02:00:00Z')
  expect(received(well, out, blocked)).toEqual([1, 0, 0])
  const expected = ['archived 1', 'no_address 1', 'queued 1', 'suppressed 1', 'unsubscribed 1'].map(
    (result) => `2055-07-01 email ${result}`,
  )
  expect(await counts()).toEqual([...expected, '2055-07-01 sms archived 1', '2055-07-01 sms channel_not_configured 4'])
  // What the preview showed is what happened.
  const previewed = (rest.body.data as Row[]).flatMap(({ messages }) => messages.map(({ channel, result }: Row) => `${channel} ${result}`))
  const done = found(await crm.ws.get('/company/birthday-messages/deliveries?day=2055-07-01')).map(
    ({ channel, result }) => `${channel} ${result}`,
  )
  expect(done.toSorted()).toEqual(previewed.toSorted())
  expect(found(await crm.ws.get('/company/birthday-messages/preview?date=2055-07-01'))[0]).toMatchObject({ already_sent: true })
  // No row pretends that an SMS was sent.
  expect(ids(found(await crm.ws.get('/messages?channel=sms')))).toEqual([])
  for (const { id } of [well, out]) found(await crm.ws.patch(`/contacts/${id}`, { email_unsubscribed: false, date_of_birth: '1990-07-20' }))
  await tick('2055-07-19T22:00:00Z')
  expect(received(well, out)).toEqual([1, 1])
  expect((await deliveries(out)).find(({ channel }) => channel === 'email')).toMatchObject({ day: '2055-07-20', result: 'queued' })
})

test('many birthdays of one workspace do not hold up another, and a workspace without templates is not looked at', async () => {
  const other = await crm.app.workspace()
  await offer({ year: 0, sms_body: 'Happy birthday' })
  await crm.app.owner.query(
    `insert into contacts (workspace_id, first_name, date_of_birth, timezone, local_zone, zone_basis)
      select $1, 'Twin ' || n, '1990-08-05', 'Australia/Sydney', 'Australia/Sydney', '{"timezone": "Australia/Sydney"}'
        from generate_series(1, 450) n`,
    [crm.ws.id],
  )
  found(await other.put('/company/birthday-messages', [greeting]))
  const single = await other.post('/contacts', {
    first_name: 'Bo',
    email: 'bo@example.com',
    date_of_birth: '1990-08-05',
    timezone: 'Australia/Sydney',
  })
  await tick('2055-08-04T22:00:00Z')
  expect(emailsTo('bo@example.com')).toHaveLength(1)
  expect(created(single).email).toBe('bo@example.com')
  expect(await counts()).toEqual(['2055-08-05 sms channel_not_configured 450'])
  const scheduled = async () => (await crm.app.owner.query('select from birthday_schedules where workspace_id = $1', [crm.ws.id])).rowCount
  expect(await scheduled()).toBe(1)
  await offer()
  expect(await scheduled()).toBe(0)
})
