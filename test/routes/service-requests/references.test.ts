import { afterAll, expect, test } from 'vitest'
import { startLocalServer } from '../../../dev/local-server.ts'
import { created, found, useCrm } from '../crm.ts'

/** A chat that answers as Slack's chat.postMessage does, and once in a way that nobody understands. */
const answers = [JSON.stringify({ ok: true, channel: 'C024BE91L', ts: '1764216180.000200' }), 'ok']
const { host, url, close } = await startLocalServer((_, response) => response.end(answers.shift()))
const crm = useCrm({ own: true, vars: { LOCAL_RECEIVERS: host, ENGINEERING_WEBHOOK_URL: `${url}/post` } })
afterAll(close)

test('a request shows the message about it in the chat, if the chat names it', async () => {
  const shown = []
  for (const title of ['With a reference', 'Without one']) {
    const { id } = created(await crm.ws.post('/service-requests', { title }))
    await crm.app.cron('* * * * *')
    await crm.app.drain()
    shown.push(found(await crm.ws.get(`/service-requests/${id}`)).message_reference)
  }
  expect(shown).toEqual([{ channel: 'C024BE91L', ts: '1764216180.000200' }, null])
})
