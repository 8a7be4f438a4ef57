import { setTimeout as pause } from 'node:timers/promises'
import { program, TARGET_FLAGS, TARGET_USAGE } from '../program.ts'
import { targetOf } from '../runs.ts'
import { Complaint } from '../settings.ts'
import { receiverPort, startWebhookReceiver, type WebhookReceiver } from '../webhook-receiver.ts'
import { type Api, apiOf, type Body, type Fetch } from './api.ts'

const USAGE = `Usage: npm run demo:automation [-- <flags>]

Lets an automation act on new contacts, a schedule fire for 50 contacts, and a birthday message be sent. \
A webhook of this program receives the tasks
and verifies their signatures. Then it prints from the API what ran, step by step, and why one contact was left out. \
It takes two to three minutes,
because waits and schedules have a minute as their smallest unit. Afterwards the data is as it was.
${TARGET_USAGE}`

const PATIENCE_MS = 300_000
const AUDIENCE = 50

export type Surroundings = {
  fetch: Fetch
  receiver: WebhookReceiver
  /** Lets some time pass. */
  pass: () => Promise<void>
}

/** Runs the demonstration against the API at `base`; `print` receives every line of output. */
export async function demonstrateAutomation(
  base: string,
  key: string,
  print: (line: string) => void,
  { fetch, receiver, pass }: Surroundings,
): Promise<void> {
  const api = apiOf(base, key, print, fetch)
  const quiet = apiOf(base, key, () => {}, fetch)
  const say = (text: string) => print(`  → ${text}`)
  const read = async (path: string): Promise<Body> => (await quiet('GET', path)).data
  const undo: (() => Promise<unknown>)[] = []
  const make = async (path: string, body: object, by = api): Promise<Body> => {
    const { data } = await by('POST', path, body)
    undo.push(() => quiet('DELETE', `${path}/${data.id}`))
    return data
  }
  const until = async (what: string, holds: () => Promise<boolean>) => {
    for (const end = Date.now() + PATIENCE_MS; !(await holds()); await pass())
      if (Date.now() > end) throw new Complaint(`Waited in vain for ${what}`)
  }
  const unique = Date.now().toString(36)
  const city = `Perth ${unique}`

  try {
    print('\n1. A webhook, whose receiver knows the secret')
    const webhook = await make('/webhooks', { url: receiver.url, event_types: ['task.created'] })
    receiver.secrets.push(webhook.secret)

    print('\n2. An automation: a contact of one city is created → wait → condition → task')
    const welcome = await make('/automations', {
      name: `Welcome ${unique}`,
      trigger: { type: 'contact_created' },
      conditions: [{ on: 'contact', filter: { field: 'city', op: 'eq', value: city } }],
      steps: [
        { type: 'wait', for: { amount: 1, unit: 'minutes' } },
        { type: 'condition', if: [{ on: 'contact', filter: { field: 'email', op: 'is_not_empty' } }] },
        { type: 'create_task', fields: { title: 'Welcome {{ contact.first_name | upper }}' } },
      ],
    })
    await api('POST', `/automations/${welcome.id}/publish`)
    const ana = await make('/contacts', { first_name: 'Ana', email: `ana-${unique}@example.com`, city, ...birthdayNow() })
    const ben = await make('/contacts', { first_name: 'Ben', email: `ben-${unique}@example.com`, city: 'Sydney' })

    print(`\n3. A schedule that fires in the next minute, for ${AUDIENCE} contacts`)
    const tagging = await make('/automations', {
      name: `Tag ${unique}`,
      trigger: { type: 'schedule' },
      steps: [{ type: 'add_tags', record: 'contact', tags: ['Reviewed'] }],
    })
    await api('POST', `/automations/${tagging.id}/publish`)
    const guests = Array.from({ length: AUDIENCE }, (_, n) => ({ first_name: `Guest ${n + 1}`, city: `Hobart ${unique}` }))
    const { results } = (await quiet('POST', '/contacts/bulk-create', { records: guests })).data
    undo.push(() => quiet('POST', '/contacts/bulk-delete', { ids: results.map(({ id }: Body) => id) }))
    const schedule = await make('/auto-schedules', {
      name: `Every minute ${unique}`,
      cron_expression: '* * * * *',
      max_runs: 1,
      automation_id: tagging.id,
      audience_type: 'contacts',
      audience_filter: { filter: { field: 'city', op: 'eq', value: `Hobart ${unique}` } },
    })
    const { total } = (await api('GET', `/auto-schedules/${schedule.id}/audience-preview?sample=1`)).data
    say(`${total} contacts, and the next fire at ${schedule.next_run_at}`)

    print('\n4. A birthday message, for a contact whose birthday it is, and where it is morning')
    const templates = await read('/company/birthday-messages')
    undo.push(() => quiet('PUT', '/company/birthday-messages', { messages: templates }))
    const messages = [
      { year: 1, email_subject: 'Happy birthday, {first_name}!', email_body: `All the best from {company_name} (${unique})` },
    ]
    await api('PUT', '/company/birthday-messages', { messages })

    print('\n5. What ran')
    await until('the run of the automation', async () => (await runsOf(read, welcome.id))[0]?.state === 'completed')
    await until('the webhook', async () => receiver.received.some(({ body }) => body?.data?.payload?.title === 'Welcome ANA'))
    await showSteps(api, (await runsOf(read, welcome.id))[0], say)
    for (const { id, title } of await read(`/contacts/${ana.id}/tasks`)) {
      say(`Ana has the task "${title}"`)
      undo.push(() => quiet('DELETE', `/tasks/${id}`))
    }
    for (const { body, verified, id } of receiver.received)
      say(
        `received ${body.type} "${body.data.payload.title}", ` +
          `${verified ? 'verified with the library standardwebhooks' : 'NOT VERIFIED'} (${id})`,
      )

    await until('the schedule', async () => (await read(`/auto-schedules/${schedule.id}/runs`))[0]?.status === 'completed')
    const [fire] = (await api('GET', `/auto-schedules/${schedule.id}/runs`)).data
    say(
      `fired ${fire.timing.late_seconds} s late for ${fire.audience_size} contacts: ${fire.runs_triggered} runs in ` +
        `${fire.timing.duration_ms} ms`,
    )
    await until('the tags', async () => (await read(`/automations/${tagging.id}/funnel`)).steps[0].done === AUDIENCE)
    for (const { type, done } of (await api('GET', `/automations/${tagging.id}/funnel`)).data.steps) say(`${type}: ${done} done`)

    const deliveries = `/company/birthday-messages/deliveries?contact_id=${ana.id}`
    await until('the birthday message', async () => (await read(deliveries)).length > 0)
    for (const { day, channel, result } of (await api('GET', deliveries)).data) say(`Ana, ${day}: ${channel} ${result}`)

    print('\n6. Why Ben was left out')
    for (const { type, started, reason } of (await api('GET', `/automations/${welcome.id}/explain?contact_id=${ben.id}`)).data)
      say(`${type}: ${started ? 'started a run' : reason}`)
  } finally {
    for (const step of undo.toReversed()) await step()
  }
}

const runsOf = (read: (path: string) => Promise<Body>, automation: string) => read(`/automation-runs?automation_id=${automation}`)

async function showSteps(api: Api, run: Body, say: (text: string) => void): Promise<void> {
  const { data: steps } = await api('GET', `/automation-runs/${run.id}/steps`)
  for (const { sequence, type, state, output } of steps) say(`${sequence}. ${type} ${state}${output?.title ? `: "${output.title}"` : ''}`)
}

/** A zone without summer time in which it is morning, and its date as a birthday 40 years ago. */
function birthdayNow(now = new Date()): { timezone: string; date_of_birth: string } {
  const ahead = ((10 - now.getUTCHours() + 36) % 24) - 12
  const local = new Date(now.getTime() + ahead * 3_600_000)
  // The signs of these zones are those of POSIX: Etc/GMT-10 is ten hours ahead.
  const timezone = `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
  return { timezone, date_of_birth: `${local.getUTCFullYear() - 40}${local.toISOString().slice(4, 10)}` }
}

await program(import.meta, { usage: USAGE, options: TARGET_FLAGS }, async (flags) => {
  const { base, key, run } = targetOf(flags)
  const receiver = await startWebhookReceiver({ port: receiverPort(run) })
  try {
    const surroundings = { fetch: fetch as unknown as Fetch, receiver, pass: () => pause(1000) }
    await demonstrateAutomation(base, key, console.log, surroundings)
  } finally {
    await receiver.close()
  }
})
