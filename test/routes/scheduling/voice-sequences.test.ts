import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proving } from '../../proof.ts'
import { limit } from '../../speed.ts'
import { found, type Row, useCrm } from '../crm.ts'
import { audit, book, eventType, monday, SILENT } from './scheduling.ts'

const crm = useCrm()
const MONDAY = monday()
const PHONE = '+61412345678'
const TIMES = ['09:00', '10:00', '11:00', '12:00']
const startAt = (time: string) => `${MONDAY} ${time}`
/** How the provider calls: with the id of the call, with nothing but the arguments, or with an id of each tool call. */
const FORMS = ['retell', 'flat', 'vapi'] as const
type Form = (typeof FORMS)[number]
type Tool = 'book' | 'cancel-booking' | 'reschedule-booking' | 'find-booking'
type Request = { tool: Tool; args: Row; body: Row }
/** The open bookings of the caller: the start of each by its id. */
type State = Map<string, string>

const time = fc.constantFrom(...TIMES)
const selector = fc.constantFrom(undefined, undefined, 1, 2, 3)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ tool: fc.constant('book' as const), time, name: fc.constantFrom('Ana Lee', 'Ben Ito') }) },
  { weight: 4, arbitrary: fc.record({ tool: fc.constant('cancel-booking' as const), selector }) },
  { weight: 3, arbitrary: fc.record({ tool: fc.constant('reschedule-booking' as const), selector, time }) },
  { weight: 2, arbitrary: fc.record({ tool: fc.constant('find-booking' as const) }) },
  { weight: 3, arbitrary: fc.record({ repeat: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ office: fc.constantFrom('cancel', 'book', 'move'), time, nth: fc.nat(3) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function state(): Promise<State> {
  const { rows } = await crm.app.owner.query(
    `select id, to_char(starts_at at time zone 'Australia/Sydney', 'YYYY-MM-DD HH24:MI') as start from bookings
      where workspace_id = $1 and status in ('pending', 'confirmed') order by starts_at`,
    [crm.ws.id],
  )
  return new Map(rows.map(({ id, start }) => [id, start]))
}
const same = (one: State, other: State) => one.size === other.size && [...one].every(([id, start]) => other.get(id) === start)

/** One conversation, and what was heard in it. */
class Conversation {
  readonly form: Form
  readonly typeId: string
  readonly sent: Request[] = []
  /** The starts of the list that was heard last. */
  list: string[] | undefined
  /** What each request has led to: the text, the bookings after it, and the list that was valid then. */
  readonly heard = new Map<string, { text: string; after: State; list: string[] | undefined }>()
  #calls = 0

  constructor(form: Form, typeId: string) {
    this.form = form
    this.typeId = typeId
  }

  request(tool: Tool, args: Row): Request {
    const id = `tc_${this.#calls++}`
    const call = { call_id: 'call_1', direction: 'inbound', from_number: PHONE }
    const toolCall = { call: { id: 'vc_1' }, customer: { number: PHONE }, toolCallList: [{ id, parameters: args }] }
    const body = { retell: { call, args }, flat: { ...args, phone: PHONE }, vapi: { message: toolCall } }[this.form]
    return { tool, args, body }
  }

  async send(request: Request): Promise<string> {
    const path = request.tool === 'book' ? `${this.typeId}/book` : request.tool
    const response = await crm.app.fetch(`/v1/scheduling/voice/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${crm.ws.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(request.body),
    })
    const text = await response.text()
    return this.form === 'vapi' ? JSON.parse(text).results[0].result : text
  }

  async check(request: Request): Promise<void> {
    const before = await state()
    const text = await this.send(request)
    const after = await state()
    const key = JSON.stringify([request.tool, request.body])
    const [, verb = '', id = ''] = /^(Booked|Moved|Cancelled): .*Booking id: ([0-9a-f-]{36})\.$/s.exec(text) ?? []
    const last = this.heard.get(key)
    const isRepetition = last?.text === text && same(last.after, after) && last.list === this.list
    const wanted = request.args.slot
    if (verb === '') expect(same(before, after), `nothing is done silently: ${text}`).toBe(true)
    if (verb === 'Booked') expect(after.get(id), text).toBe(wanted)
    if (verb === 'Booked' && !before.has(id)) expect(after.size).toBe(before.size + 1)
    if (verb === 'Moved') {
      expect(after.get(id), text).toBe(wanted)
      const gone = [...before.keys()].filter((each) => !after.has(each))
      expect(before.has(id) ? [] : gone, text).toHaveLength(before.has(id) ? 0 : 1)
      if (gone.length === 1) this.checkChoice(request, before.get(gone[0] as string))
    }
    if (verb === 'Cancelled') {
      expect(after.has(id), text).toBe(false)
      expect(before.has(id) || isRepetition, `${text} although it was not cancelled now, and something has changed`).toBe(true)
      if (before.has(id)) this.checkChoice(request, before.get(id))
    }
    // The provider has sent this very tool call before, and it was done.
    if (this.form === 'vapi' && /^(Booked|Moved|Cancelled)/.test(last?.text ?? ''))
      expect(same(before, after) || request.tool === 'book', text).toBe(true)
    if (/^1\. |There (is one|are \d+) upcoming/.test(text)) this.list = startsIn(text)
    this.heard.set(key, { text, after, list: this.list })
  }

  /** A number means the booking that had it in the list which was heard. */
  checkChoice({ args }: Request, start: string | undefined): void {
    if (args.booking_selector !== undefined && this.list) expect(start).toBe(this.list[args.booking_selector - 1])
  }

  async run(step: Step): Promise<void> {
    if ('office' in step) return office(step)
    if ('repeat' in step) {
      const earlier = this.sent.at(-1 - step.repeat)
      return earlier && this.check(earlier)
    }
    const args = {
      ...('time' in step && { slot: startAt(step.time) }),
      ...('name' in step && { name: step.name }),
      ...('selector' in step && step.selector !== undefined && { booking_selector: step.selector }),
    }
    const request = this.request(step.tool, args)
    this.sent.push(request)
    await this.check(request)
  }
}

const startsIn = (text: string) => [...text.matchAll(/(?:^|; |\n)\d+\. .*?\[(\d{4}-\d\d-\d\d \d\d:\d\d)\]/g)].map(([, start = '']) => start)

async function office({ office, time, nth }: { office: string; time: string; nth: number }): Promise<void> {
  const [id] = [...(await state()).keys()].slice(nth)
  if (office === 'book') await book(crm.ws, { starts_at: startAt(time), phone: PHONE, name: 'Ana Lee', email: null })
  else if (id && office === 'cancel') await crm.ws.post(`/scheduling-bookings/${id}/cancel`, {})
  else if (id) await crm.ws.post(`/scheduling-bookings/${id}/reschedule`, { starts_at: startAt(time) })
}

async function clear(): Promise<void> {
  for (const id of (await state()).keys()) found(await crm.ws.post(`/scheduling-bookings/${id}/cancel`, {}))
  await crm.app.owner.query('delete from voice_results where workspace_id = $1', [crm.ws.id])
}

const steps = (...list: Step[]) => list
const cancel = (selector?: 1 | 2 | 3): Step => ({ tool: 'cancel-booking', selector })
const bookAt = (time: string): Step => ({ tool: 'book', time, name: 'Ana Lee' })
const FIND: Step = { tool: 'find-booking' }
/** Sequences in which a repetition is easily mistaken. */
const KNOWN: Step[][] = [
  steps(bookAt('09:00'), cancel(), bookAt('10:00'), cancel()),
  steps(bookAt('09:00'), bookAt('10:00'), FIND, cancel(1), FIND, cancel(1)),
  steps(bookAt('09:00'), bookAt('10:00'), bookAt('11:00'), cancel(), cancel(1), cancel(2)),
  steps(bookAt('09:00'), bookAt('10:00'), bookAt('11:00'), FIND, { office: 'cancel', time: '09:00', nth: 0 }, cancel(1), cancel(1)),
  steps(
    bookAt('09:00'),
    { tool: 'reschedule-booking', selector: undefined, time: '10:00' },
    { tool: 'reschedule-booking', selector: undefined, time: '11:00' },
    { tool: 'reschedule-booking', selector: undefined, time: '10:00' },
  ),
]

test('whatever is called, changed and repeated: a text that says Booked, Moved or Cancelled is true, and of the booking that was chosen', {
  timeout: limit(120_000),
}, async () => {
  const type = await eventType(crm.ws, { notices: SILENT })
  const conversations = fc.tuple(fc.constantFrom(...FORMS), fc.array(step, { minLength: 6, maxLength: 14, size: 'max' }))
  const known = FORMS.flatMap((form) => KNOWN.map((list): [[Form, Step[]]] => [[form, list]]))
  await fc.assert(
    fc
      .asyncProperty(conversations, async ([form, list]) => {
        const conversation = new Conversation(form, type.id)
        for (const each of list) await conversation.run(each)
      })
      .afterEach(clear),
    { numRuns: known.length + (proving ? 200 : 8), examples: known, endOnFailure: true },
  )
  await audit(crm)
})
