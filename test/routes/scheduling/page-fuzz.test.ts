import { expect, test } from 'vitest'
import { drawOf, TEXTS } from '../../contract/odd.ts'
import { proving } from '../../proof.ts'
import { useCrm } from '../crm.ts'
import { audit, eventType, sydney } from './scheduling.ts'
import { day, openPage, visitor, visits } from './visitor.ts'

const crm = useCrm()
const { booked, bookings } = visits(crm)

const REQUESTS = proving ? 5_000 : 80
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_123)
const MOST_CHARACTERS = 2_000
const HOSTILE = ['<script>alert(1)</script>', '"><svg><a>', "'; drop table bookings; --", '..%2f..%2f', '%00', 'a'.repeat(MOST_CHARACTERS)]
const FIELDS = [
  'at',
  'tz',
  'day',
  'from',
  'duration',
  'lang',
  'done',
  'token',
  'name',
  'email',
  'phone',
  'notes',
  'q_topic',
  'website',
  'cf-turnstile-response',
  'x',
]
const QUESTIONS = [{ key: 'topic', label: 'Which topic?', type: 'choice', options: ['Roof', 'Deck'] }]

test(`${REQUESTS} hostile requests get safe pages, never a 5xx, and leave whole bookings`, { timeout: 3_600_000 }, async () => {
  const { app, ws } = crm
  await eventType(ws, { questions: QUESTIONS })
  await eventType(ws, { name: 'Workshop', seats: 2, waiting_list: true, confirm_email: true })
  await eventType(ws, { name: 'Talk', challenge: 'turnstile' })
  const page = await openPage(ws)
  const manage = await booked(page, '16:00')
  const faults: string[] = []
  for (let n = 0; n < REQUESTS; n++) {
    const draw = drawOf(SEED + n)
    const values = [
      // As text it is harmless, but no page has it otherwise.
      ...TEXTS.filter((text) => !text.includes('javascript:')),
      ...HOSTILE,
      sydney(day, '09:00'),
      sydney(day, '09:30'),
      'Europe/Berlin',
      '30',
      'ana@example.com',
      crypto.randomUUID(),
    ]
    const value = () => draw(values).slice(0, MOST_CHARACTERS).toWellFormed()
    const part = encodeURIComponent(value().slice(0, 200) || 'x')
    const shown = [
      page,
      `${page}/${part}`,
      `/book/${part}`,
      `${manage}/booking.ics`,
      `${page}/manage/${part}`,
      `${page}/waiting/${part}`,
      manage,
    ]
    const both = [`${page}/first-meeting`, `${page}/workshop`, `${page}/talk`, `${manage}/move`, `${page}/confirm/${part}`]
    const posted = [`${page}/manage/${part}/cancel`, `${page}/waiting/${part}/accept`, `${page}/waiting/${part}/leave`]
    const isPosted = draw([true, false])
    const path = draw([...both, ...both, ...(isPosted ? posted : shown)])
    const fields = Object.fromEntries(FIELDS.filter(() => draw([true, false])).map((name) => [name, value()]))
    const client = visitor(app, { address: `192.0.2.${n % 200}`, language: draw(['en', 'de', 'x', '*;q=0']) })
    try {
      const sent = isPosted ? client.post(path, fields) : client.get(`${path}?${new URLSearchParams(fields)}`)
      const { status, text } = await sent
      if (status >= 500) faults.push(`${status} ${text.slice(0, 300)}`)
      if (/<script>alert|<svg/.test(text)) faults.push('what was sent is in the page as it is')
    } catch (error) {
      faults.push(`seed ${SEED + n}, ${path}: ${(error as Error).message.slice(0, 500)}`)
    }
  }
  expect(faults.slice(0, 20).join('\n\n'), `${faults.length} faults`).toBe('')
  for (const booking of await bookings()) expect(booking.status).toMatch(/^(confirmed|cancelled|rescheduled)$/)
  await audit(crm)
})
