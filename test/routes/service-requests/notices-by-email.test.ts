import { expect, test } from 'vitest'
import { created, found, useCrm } from '../crm.ts'

const ADDRESS = 'engineering@platform.test'
const crm = useCrm({ own: true, vars: { ENGINEERING_EMAIL: ADDRESS } })

async function tick() {
  await crm.app.owner.query('update service_request_notices set due_at = now() where due_at is not null')
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}
const emailsAbout = (title: string) => crm.app.email.sent.filter(({ Subject }) => Subject === `Service request: ${title}`)

test('without a webhook the engineering team gets each request by email, with its context', async () => {
  const fields = { description: 'It stops\nat 50 %', type: 'bug', priority: 'high', context: { page: '/contacts' } }
  const { id } = created(await crm.ws.post('/service-requests', { title: 'The <b>export</b> stops', ...fields }))
  await tick()
  await tick()
  const emails = emailsAbout('The <b>export</b> stops')
  expect(emails).toMatchObject([{ To: ADDRESS, Tag: 'service-request' }])
  const { name } = found(await crm.ws.get('/company'))
  const lines = emails[0]!.TextBody!.split('\n\n')
  expect(lines).toEqual([
    expect.stringMatching(/^New service request of .+: The <b>export<\/b> stops$/),
    'Type: bug. Priority: high. Queue: platform.',
    'It stops\nat 50 %',
    'Context: {"page":"/contacts"}',
    `Id: ${id}`,
  ])
  expect(lines[0]).toContain(name)
  expect(emails[0]!.HtmlBody).toContain('The &lt;b&gt;export&lt;/b&gt; stops</p>')
  expect(emails[0]!.HtmlBody).toContain('It stops<br>at 50 %')
})

test('a request without a description and a context has no lines about them', async () => {
  const { id } = created(await crm.ws.post('/service-requests', { title: 'Short' }))
  await tick()
  expect(emailsAbout('Short')[0]!.TextBody!.split('\n\n')).toEqual([expect.stringContaining('Short'), expect.any(String), `Id: ${id}`])
})

test.each([
  ['whose answer was lost', 'drop', true, 1],
  ['that was not accepted', 'drop', false, 1],
  ['for which the provider had no time', '429', false, 1],
  ['that is refused', '422', false, 0],
] as const)('an email %s is sent once, and one that is refused is not tried again', async (title, mode, accept, count) => {
  crm.app.email.fail(mode, 1, accept)
  const { id } = created(await crm.ws.post('/service-requests', { title }))
  for (let n = 0; n < 3; n++) await tick()
  expect(emailsAbout(title)).toHaveLength(count)
  const { rows } = await crm.app.owner.query('select status from service_request_notices where request_id = $1', [id])
  expect(rows).toEqual([{ status: count === 1 ? 'sent' : 'failed' }])
})
